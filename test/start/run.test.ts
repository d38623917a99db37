import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";

const DIGEST = path.join(import.meta.dirname, "../../bin/bundle-digest.mjs");
const { digestOf } = (await import(DIGEST)) as { digestOf: (root: string, files: readonly string[]) => string };
const HERE = `${process.platform}-${process.arch}`;
const LOCKED = {
  "": { name: "project" },
  "node_modules/needed": { version: "1.0.0" },
  "node_modules/tool": { version: "2.0.0", dev: true },
  "node_modules/here": { version: "3.0.0", optional: true, os: [process.platform], cpu: [process.arch] },
  "node_modules/elsewhere": { version: "3.0.0", optional: true, os: ["sunos"], cpu: ["mips"] },
};

/** Replaces npm: records its calls, takes its time, then writes the lockfile's packages. */
const NPM = `
  const fs = require("node:fs");
  fs.appendFileSync("calls.log", process.argv.slice(2).join(" ") + "\\n");
  if (process.env.NPM_FAILS) { console.error("npm error no network"); process.exit(1); }
  const { packages } = JSON.parse(fs.readFileSync("package-lock.json", "utf8"));
  delete packages[""]; delete packages["node_modules/elsewhere"];
  fs.rmSync("node_modules", { recursive: true, force: true });
  fs.mkdirSync("node_modules");
  for (const name of (process.env.NPM_MAKES ?? "").split(",").filter(Boolean)) {
    fs.mkdirSync("node_modules/" + name);
    fs.writeFileSync("node_modules/" + name + "/package.json", "{}");
  }
  const finish = () => fs.writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages }));
  const { NPM_UNTIL, NPM_TAKES = 0 } = process.env;
  const look = () => fs.existsSync(NPM_UNTIL) ? finish() : setTimeout(look, 20);
  NPM_UNTIL ? look() : setTimeout(finish, Number(NPM_TAKES));
`;
const MAIN = `
  const [word] = process.argv.slice(2) as string[];
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
    process.on(signal, () => { console.log("got " + signal); if (signal === "SIGTERM") process.exit(5); });
  console.log(JSON.stringify(process.argv.slice(2)));
  if (word === "exit") process.exit(7);
  if (word === "wait") setTimeout(() => {}, 3_600_000);
`;

describe("bin/run.mjs", () => {
  let root: string;
  const running: ChildProcess[] = [];

  /** @param user another user it runs as; only root may name one */
  const run = (args: string[], environment: Record<string, string> = {}, flags: string[] = [], user?: number) => {
    const child = spawn(process.execPath, [...flags, path.join(root, "bin/run.mjs"), ...args], {
      cwd: tmpdir(),
      env: { ...process.env, npm_execpath: path.join(root, "npm-cli.js"), npm_node_execpath: process.execPath, ...environment },
      ...(user === undefined ? {} : { uid: user, gid: user }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.push(child);
    const said = { output: "", errors: "" };
    child.stdout.on("data", (chunk) => (said.output += chunk));
    child.stderr.on("data", (chunk) => (said.errors += chunk));
    const end = once(child, "close").then(([code, signal]) => ({ code, signal, ...said }));
    return { child, end, said };
  };
  const installs = async () =>
    existsSync(path.join(root, "calls.log")) ? (await readFile(path.join(root, "calls.log"), "utf8")).trim().split("\n") : [];
  const lock = (packages: object) => writeFile(path.join(root, "package-lock.json"), JSON.stringify({ packages }));
  const installed = async (packages: object) => {
    await mkdir(path.join(root, "node_modules"), { recursive: true });
    await writeFile(path.join(root, "node_modules/.package-lock.json"), JSON.stringify({ packages }));
  };
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await delay(10);
  };
  const { "": _, "node_modules/elsewhere": __, ...COMPLETE } = LOCKED;
  const { "node_modules/tool": ___, ...WITHOUT_TOOLS } = COMPLETE;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), "kantoor-run-"));
    await cp(path.join(import.meta.dirname, "../../bin"), path.join(root, "bin"), { recursive: true });
    await writeFile(path.join(root, "package.json"), '{ "type": "module" }');
    await writeFile(path.join(root, "npm-cli.js"), NPM.replaceAll("require(", "process.getBuiltinModule("));
    await writeFile(path.join(root, "main.ts"), MAIN);
    await mkdir(path.join(root, "test"));
    await writeFile(path.join(root, "test/run.ts"), MAIN);
    await lock(LOCKED);
  });
  afterEach(async () => {
    for (const child of running.splice(0)) child.kill("SIGKILL");
    await rm(root, { recursive: true, force: true });
  });

  describe("the bundle", () => {
    const OPTIONS = "console.log(process.execArgv.filter((option) => option.includes('bundled.mjs')).length)";
    /** Which programs get it: one line for each command. */
    const uses = async (...commands: string[]) => {
      const ends = await Promise.all(commands.map((command) => run([command]).end));
      return ends.map(({ output, errors }) => `${output}${errors}`.trim());
    };
    beforeEach(async () => {
      await installed(COMPLETE);
      await mkdir(path.join(root, "build"));
      await writeFile(path.join(root, "source.ts"), "export const a = 1;\n");
      for (const entry of ["main.ts", "test/run.ts"]) await writeFile(path.join(root, entry), OPTIONS);
      const description = { digest: digestOf(root, ["source.ts"]), files: ["source.ts"] };
      await writeFile(path.join(root, "build/kantoor.json"), JSON.stringify(description));
    });

    it("is used to start, and not to test", async () => {
      expect(await uses("start", "node", "test")).to.deep.equal(["1", "1", "0"]);
    });

    it("is not used once a source in it has changed or is gone", async () => {
      await writeFile(path.join(root, "source.ts"), "export const a = 2;\n");
      expect(await uses("start")).to.deep.equal(["0"]);
      await rm(path.join(root, "source.ts"));
      expect(await uses("start")).to.deep.equal(["0"]);
    });

    it("is not used once what it is made with has changed", async () => {
      await lock({ ...LOCKED, "": { name: "project", version: "2.0.0" } });
      expect(await uses("start")).to.deep.equal(["0"]);
    });

    it("is not used before it is complete", async () => {
      await writeFile(path.join(root, "build/kantoor.json"), '{ "digest": ');
      expect(await uses("start")).to.deep.equal(["0"]);
    });
  });

  describe("dependencies", () => {
    it("are installed when they are missing, once, without scripts, with one line about it", async () => {
      expect(await run(["start", "--repl"]).end).to.deep.equal({
        code: 0,
        signal: null,
        output: '["--repl"]\n',
        errors: "Installing dependencies…\n",
      });
      expect((await run(["start"]).end).errors).to.equal("");
      expect(await installs()).to.have.length(1);
      expect((await installs())[0]).to.match(/^ci --ignore-scripts --include=dev --include=optional/);
    });

    it("report their progress if that takes a while, leaving out packages for other machines", async () => {
      const allowed = path.join(root, "allowed");
      const { end, said } = run(["start"], { NPM_UNTIL: allowed, NPM_MAKES: "needed,here" });
      await until(() => said.errors.includes("2 of 3"));
      await writeFile(allowed, "");
      const { errors } = await end;
      expect(errors).to.match(
        /^Installing dependencies…\n(?: {2}[012] of 3 packages after \d+ s\n)* {2}2 of 3 packages after \d+ s\n$/,
      );
    });

    it("are installed again when the lockfile has changed", async () => {
      await run(["start"]).end;
      await lock({ ...LOCKED, "node_modules/needed": { version: "1.0.1" } });
      await run(["start"]).end;
      expect(await installs()).to.have.length(2);
    });

    it("are left alone if another process installed the lockfile's packages", async () => {
      await installed(COMPLETE);
      await run(["test"]).end;
      expect(await installs()).to.deep.equal([]);
      expect(await readFile(path.join(root, "node_modules/.kantoor-installed"), "utf8")).to.match(
        new RegExp(`^[0-9a-f]{64} ${HERE}\n$`),
      );
    });

    it("need no developers' packages to start, but do to test", async () => {
      await installed(WITHOUT_TOOLS);
      await run(["start"]).end;
      expect(await installs()).to.deep.equal([]);
      await run(["test"]).end;
      expect(await installs()).to.have.length(1);
    });

    it("are installed again when the optional package of this platform is missing", async () => {
      const { "node_modules/here": _here, ...others } = COMPLETE;
      await installed(others);
      await run(["start"]).end;
      expect(await installs()).to.have.length(1);
    });

    it("are installed by one of two commands that start together", async () => {
      const ends = await Promise.all([run(["start"], { NPM_TAKES: "500" }).end, run(["start"], { NPM_TAKES: "500" }).end]);
      expect(ends.map((end) => end.code)).to.deep.equal([0, 0]);
      expect(await installs()).to.have.length(1);
    });

    it("are not installed a second time in parallel with the npm of a killed command", async () => {
      const allowed = path.join(root, "allowed");
      const first = run(["start"], { NPM_UNTIL: allowed });
      await until(() => existsSync(path.join(root, "node_modules")));
      first.child.kill("SIGKILL");
      const waiting = run(["start"]);
      await until(() => waiting.said.errors.includes("\n"));
      await writeFile(allowed, "");
      const second = await waiting.end;
      expect([second.code, second.errors]).to.deep.equal([0, "Waiting for another process that installs dependencies…\n"]);
      expect(await installs()).to.have.length(1);
      expect((await readdir(root)).filter((name) => name.startsWith(".installing"))).to.deep.equal([]);
    });

    it("do not wait for processes that are gone", async () => {
      await writeFile(path.join(root, ".installing"), `${process.pid} 1\n4999999 2`);
      expect((await run(["start"]).end).errors).to.equal("Installing dependencies…\n");
    });

    it("are not taken for complete after an interrupted install", async () => {
      const first = run(["start"], { NPM_UNTIL: path.join(root, "never") });
      await until(() => existsSync(path.join(root, "node_modules")));
      first.child.kill("SIGTERM");
      expect((await first.end).signal).to.equal("SIGTERM");
      expect(existsSync(path.join(root, ".installing"))).to.equal(false);
      expect((await run(["start"]).end).errors).to.equal("Installing dependencies…\n");
    });

    it("that cannot be installed end the command with npm's words", async () => {
      const { code, errors } = await run(["start"], { NPM_FAILS: "1" }).end;
      expect(code).to.equal(1);
      expect(errors).to.equal("Installing dependencies…\nInstalling dependencies failed (npm ci: 1).\nnpm error no network\n");
    });
  });

  describe("in a checkout of another user", () => {
    const isRoot = process.getuid?.() === 0;
    const NOBODY = 65534;
    // An ordinary user who runs the tests owns the files, and removes its own right to write instead.
    const mode = isRoot ? 0o755 : 0o555;
    const asAnother = (...args: string[]) => run(args, {}, [], isRoot ? NOBODY : undefined);
    const closed = async (...folders: string[]) => {
      for (const folder of [...folders, "."]) await chmod(path.join(root, folder), mode);
    };
    afterEach(async () => {
      for (const folder of [".", "node_modules"].filter((one) => existsSync(path.join(root, one))))
        await chmod(path.join(root, folder), 0o755);
    });

    for (const command of ["start", "test"])
      it(`${command}s with the existing packages, and writes nothing next to them`, async () => {
        await installed(COMPLETE);
        await closed("node_modules");
        expect(await asAnother(command, "--repl").end).to.deep.equal({
          code: 0,
          signal: null,
          output: '["--repl"]\n',
          errors: "",
        });
        expect(await readdir(path.join(root, "node_modules"))).to.deep.equal([".package-lock.json"]);
      });

    for (const [what, folders] of [
      ["that has no packages yet", []],
      ["whose packages are old", ["node_modules"]],
    ] as const)
      it(`${what}, says who installs them, and leaves nothing behind`, async () => {
        if (folders.length > 0) await installed({ ...COMPLETE, "node_modules/needed": { version: "0.9.0" } });
        await closed(...folders);
        const before = await readdir(root);
        expect(await asAnother("start").end).to.deep.equal({
          code: 1,
          signal: null,
          output: "",
          errors: `The dependencies in ${root}/node_modules are missing or old and cannot be written by this user: run "npm ci --ignore-scripts" there as their owner.\n`,
        });
        expect(await readdir(root)).to.deep.equal(before);
      });

    if (isRoot)
      it("installs them as root, for any owner, and starts", async () => {
        await chown(root, NOBODY, NOBODY);
        await chmod(root, 0o700);
        expect(await run(["start"]).end).to.include({ code: 0, output: "[]\n", errors: "Installing dependencies…\n" });
        expect((await run(["start"]).end).errors).to.equal("");
      });
  });

  for (const [how, flags] of [
    ["in its own place", []],
    ["in a child process, as an older Node does", ["--import", "data:text/javascript,process.execve=undefined"]],
  ] as const)
    describe(`runs the entry point ${how}`, () => {
      beforeEach(() => installed(COMPLETE));

      it("with the caller's arguments and its exit status", async () => {
        const { code, output } = await run(["start", "exit", "--json", "a b"], {}, [...flags]).end;
        expect([code, output]).to.deep.equal([7, '["exit","--json","a b"]\n']);
        expect((await run(["node", "clients.*", "api"], {}, [...flags]).end).output).to.equal('["--actors","clients.*","api"]\n');
      });

      it("passing signals on and the end by a signal back", async () => {
        const first = run(["start", "wait"], {}, [...flags]);
        await until(() => first.said.output.includes("wait"));
        for (const signal of ["SIGINT", "SIGHUP"] as const) {
          first.child.kill(signal);
          await until(() => first.said.output.includes(`got ${signal}`));
        }
        first.child.kill("SIGTERM");
        expect(await first.end).to.include({ code: 5, output: '["wait"]\ngot SIGINT\ngot SIGHUP\ngot SIGTERM\n' });
      });
    });

  it("names the commands if called without one", async () => {
    const { code, errors } = await run(["begin"]).end;
    expect([code, errors]).to.deep.equal([
      2,
      "Usage: run.mjs <start|node|cli|repl|top|test|test-seen|bench|growth|crash|mutation|bundle|sdk|schema|new|check> [arguments]\n",
    ]);
  });
});
