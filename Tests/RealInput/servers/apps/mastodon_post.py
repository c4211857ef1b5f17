"""Posts pictures by Mastodon.py, a client of the Mastodon API: `mastodon_post.py URL TOKEN TEXT FILE...`.

The status is sent twice with the same key; prints the numbers that both answers give.
"""

import sys

from mastodon import Mastodon

url, token, text, *paths = sys.argv[1:]
client = Mastodon(access_token=token, api_base_url=url, version_check_mode="none", ratelimit_method="throw")
media = [client.media_post(path, mime_type="image/jpeg", description=f"What {path} shows", focus=(0.5, -0.5)) for path in paths]
statuses = [client.status_post(text, media_ids=media, idempotency_key="the same") for _ in range(2)]
print(*(status["id"] for status in statuses))
