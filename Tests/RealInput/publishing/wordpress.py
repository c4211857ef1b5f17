"""Publishing to WordPress: a draft first, so that a lost answer does not make a second post."""

import re

from publishing.trial import Trial


class WordPressTrial(Trial):
    name = "WordPress"

    def cases(self):
        self.whole()
        self.cut()
        self.killed()
        self.answer_lost("POST /wp-json/wp/v2/posts")
        self.answer_lost("POST /wp-json/wp/v2/posts/", "a lost answer to publishing")
        self.interrupted()
        self.collected()
        self.refused()

    def media_of(self, post: dict) -> list[str]:
        numbers = [int(found) for found in re.findall(r'<!-- wp:\w+ {"id":(\d+)', post["content"]["raw"])]
        files = {medium["id"]: self.server.file_of(medium).sha256 for medium in self.server.media()}
        return [files.get(number, "") for number in numbers]

    def says(self, post: dict, text: str) -> bool:
        return text in post["content"]["raw"] and post["status"] == "publish"

    def unfinished(self) -> list[str]:
        return [post["slug"] for post in self.server.posts() if post["status"] != "publish"]

    def secret_names(self) -> list[str]:
        return ["CALOTYPE_PASSWORD"]
