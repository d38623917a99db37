// Builds both targets of the Dockerfile with buildah, starts the one with a PostgreSQL of its own as a container would (read-only root, the
// user of the image, no privileges), and tries it: probes, a call, the health check, what can be written, SIGTERM.
// Where no base image can be fetched, it makes one of the same name: Debian by mmdebstrap, with the Node and npm of this machine.
// Usage: node .ci/image.mjs WORK-FOLDER. Status 77: this machine has no tools for it.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const ROOT = path.join(import.meta.dirname, "..");
const BASE = "docker.io/library/node:24-bookworm-slim";
const PORT = 3000;
const BILL = "/app/sbom.json";
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";
const work = path.resolve(process.argv[2]);
process.env["BUILDAH_ISOLATION"] = "chroot";

const run = (command, ...args) => execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
const say = (line) => process.stdout.write(`${line}\n`);
const succeeds = (command, ...args) => {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

for (const [tool, packageName] of [
  ["buildah", "buildah"],
  ["mmdebstrap", "mmdebstrap"],
  ["setpriv", "util-linux"],
])
  if (process.getuid() !== 0 || !succeeds("sh", "-c", `command -v ${tool}`)) {
    say(`Not built: this step needs root and ${tool} (apt-get install ${packageName}).`);
    process.exit(77);
  }

/** An image with Debian, Node and npm under the name of the base image. */
function makeBase() {
  const archive = path.join(work, "debian.tar");
  run("mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", "bookworm", archive);
  const container = run("buildah", "from", "scratch");
  const root = run("buildah", "mount", container);
  run("tar", "-xf", archive, "-C", root);
  rmSync(archive);
  const npm = path.dirname(path.dirname(realpathSync(run("sh", "-c", "command -v npm"))));
  cpSync(process.execPath, path.join(root, "usr/local/bin/node"));
  cpSync(npm, path.join(root, "usr/local/lib/node_modules/npm"), { recursive: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", path.join(root, "usr/local/bin/npm"));
  cpSync(AUTHORITIES, path.join(root, "usr/local/share/authorities.pem"));
  const names = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  run("buildah", "config", "--env", names, "--env", "NODE_EXTRA_CA_CERTS=/usr/local/share/authorities.pem", container);
  run("buildah", "umount", container);
  run("buildah", "commit", "--quiet", "--rm", container, BASE);
}

/** Builds a target. npm's own settings of this machine, and what it has fetched already, are there while it builds. */
function build(target, version, revision) {
  const volumes = [".npmrc", ".npm"].map((name) => path.join(homedir(), name)).filter((file) => existsSync(file));
  const mounts = volumes.flatMap((file) => ["--volume", `${file}:/root/${path.basename(file)}`]);
  const facts = ["--build-arg", `VERSION=${version}`, "--build-arg", `REVISION=${revision}`];
  const tag = `localhost/kantoor:${target}`;
  const options = ["--quiet", "--pull-never", "--layers", "--format", "docker", "--target", target, "--tag", tag];
  run("buildah", "build", ...options, ...facts, ...mounts, ROOT);
  return JSON.parse(run("buildah", "inspect", "--type", "image", tag)).Docker.config;
}

/** Starts a container of the image in namespaces of its own; `enter` runs a program in it. */
function start(target, { Env, User, Entrypoint, Cmd, WorkingDir }) {
  const container = run("buildah", "from", "--pull-never", `localhost/kantoor:${target}`);
  const root = run("buildah", "mount", container);
  const place = path.join(work, "root");
  mkdirSync(place);
  const [uid, gid] = User.split(":");
  const mounts = [
    'mount --make-rprivate / && mount --bind "$1" "$2" && mount -o remount,bind,ro "$2"',
    'mount -t tmpfs -o mode=700,uid="$3",gid="$4",exec tmpfs "$2/data" && mount -t tmpfs -o mode=1777,exec tmpfs "$2/tmp"',
    'mount -t proc proc "$2/proc" && mount --rbind /dev "$2/dev" && mount --bind /etc/resolv.conf "$2/etc/resolv.conf"',
    'place=$2; uid=$3; gid=$4; shift 4; exec chroot "$place" setpriv --reuid "$uid" --regid "$gid" --clear-groups --no-new-privs --bounding-set=-all -- "$@"',
  ].join("\n");
  const program = ["env", "-i", "-C", WorkingDir, ...Env, `HOME=/data`, ...Entrypoint, ...Cmd];
  const flags = ["--mount", "--pid", "--fork", "--kill-child"];
  const child = spawn("unshare", [...flags, "sh", "-ec", mounts, "sh", root, place, uid, gid, ...program], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const ended = new Promise((resolve) => child.once("close", resolve));
  /** The process that the container began with, as this machine numbers it. */
  const first = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ")[0]);
  return {
    output: () => output,
    ended,
    signal: (name) => process.kill(first(), name),
    enter: (...words) => {
      const as = ["setpriv", "--reuid", uid, "--regid", gid, "--clear-groups", "--no-new-privs", "--"];
      const inside = ["nsenter", "--target", String(first()), "--mount", "--pid", "--root", "--wd", ...as];
      return succeeds(...inside, "env", "-i", ...Env, ...words);
    },
    async remove() {
      // A change of user clears the signal that the first process would get at the death of its parent.
      if (child.exitCode === null) process.kill(first(), "SIGKILL");
      await ended;
      run("buildah", "rm", container);
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** @throws Error with the sentence unless it holds */
function prove(holds, sentence) {
  if (!holds) throw new Error(sentence);
  say(`  ${sentence}`);
}

async function tryOut(container) {
  const ready = /Kantoor is ready on [\s\S]*API key +(\S+)/;
  for (let waits = 0; !ready.test(container.output()); waits++) {
    const isOver = await Promise.race([container.ended.then(() => true), delay(500, false)]);
    if (isOver || waits > 1200) throw new Error(`the container did not start:\n${container.output()}`);
  }
  const [, key] = ready.exec(container.output());
  const headers = { "X-API-Key": key };
  const get = (target) => fetch(`http://localhost:${PORT}${target}`, { headers });
  for (const probe of ["/health/live", "/health/ready"]) prove((await get(probe)).status === 200, `${probe} answers 200`);
  prove((await get("/api/v1/companies?limit=2")).status === 200, "a call with the key that was printed answers 200");
  const invoices = await (await get("/api/v1/invoicing/invoices?status=open&limit=1")).json();
  const printed = await get(`/api/v1/invoicing/invoices/${invoices.items[0].id}/pdf`);
  const isPdf = printed.status === 200 && (await printed.text()).startsWith("%PDF-");
  prove(isPdf, `an invoice is printed (status ${printed.status})`);
  prove(container.enter("node", "/app/deploy/healthcheck.mjs"), "the health check says that it lives");
  prove(container.enter("test", "-s", BILL), "its bill of materials is there");
  prove(!container.enter("touch", "/app/file"), "the root is read-only");
  prove(container.enter("touch", "/data/file", "/tmp/file"), "/data and /tmp can be written");
  container.signal("SIGTERM");
  const status = await container.ended;
  prove(status === 0, `SIGTERM ends it in order (status ${status})`);
}

mkdirSync(work, { recursive: true });
if (!succeeds("buildah", "inspect", "--type", "image", BASE) && !succeeds("buildah", "pull", BASE)) {
  say("The base image cannot be fetched: one of its name is made.");
  makeBase();
}
const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
const revision = run("git", "-C", ROOT, "rev-parse", "HEAD");
const configs = Object.fromEntries(["service", "all-in-one"].map((target) => [target, build(target, version, revision)]));
for (const [target, { Labels, User, StopSignal }] of Object.entries(configs)) {
  const size = JSON.parse(run("buildah", "images", "--json", `localhost/kantoor:${target}`))[0].size;
  say(`${target}: ${size}`);
  prove(User === "10001:10001" && StopSignal === "SIGTERM", `runs as ${User}, ends by ${StopSignal}`);
  const labels = ["version", "revision"].map((name) => Labels[`org.opencontainers.image.${name}`]);
  prove(labels.join() === `${version},${revision}`, `is labelled ${labels.join(", ")}`);
  prove(Labels["kantoor.sbom"] === BILL, `is labelled with its bill of materials, ${BILL}`);
}
const container = start("all-in-one", configs["all-in-one"]);
try {
  await tryOut(container);
} catch (error) {
  say(container.output().slice(-4000));
  throw error;
} finally {
  await container.remove();
}
