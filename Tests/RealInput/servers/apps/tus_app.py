"""tuspyserver as an application for uvicorn, with a place for posts beside it.

`TUS_FOLDER` holds `uploads` and `posts`. Several workers share it, so a post is created by a link that can exist once.

    POST /posts               a post as JSON; with Idempotency-Key, the same key is the same post
    GET /posts                all posts, oldest first
    GET /posts/by-key/KEY     the post of a key, or 404
"""

import hashlib
import json
import os
import time
import uuid
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from tuspyserver import create_tus_router

FOLDER = Path(os.environ["TUS_FOLDER"])
UPLOADS, POSTS = FOLDER / "uploads", FOLDER / "posts"
MAX_SIZE = int(os.environ.get("TUS_MAX_SIZE", 1 << 30))
for folder in (UPLOADS, POSTS):
    folder.mkdir(parents=True, exist_ok=True)

app = FastAPI()
app.include_router(create_tus_router(prefix="files", files_dir=str(UPLOADS), max_size=MAX_SIZE))


def path_of(key: str) -> Path:
    return POSTS / f"{hashlib.sha256(key.encode()).hexdigest()}.json"


@app.post("/posts")
async def create_post(request: Request):
    body = await request.json()
    given = request.headers.get("idempotency-key")
    path, number = path_of(given or uuid.uuid4().hex), uuid.uuid4().hex
    post = {"id": number, "url": f"{request.base_url}posts/{number}", "key": given, "created": time.time_ns(), "body": body}
    staging = POSTS / f"{number}.part"
    staging.write_text(json.dumps(post))
    try:
        os.link(staging, path)
    except FileExistsError:
        post = json.loads(path.read_text())
    finally:
        staging.unlink()
    return JSONResponse({"id": post["id"], "url": post["url"]}, status_code=201)


@app.get("/posts")
async def list_posts():
    return sorted((json.loads(path.read_text()) for path in POSTS.glob("*.json")), key=lambda post: post["created"])


@app.get("/posts/by-key/{key}")
async def post_by_key(key: str):
    path = path_of(key)
    return json.loads(path.read_text()) if path.exists() else JSONResponse({"error": "no such post"}, status_code=404)
