import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { cleanEnvironment } from "../support/process.ts";
import { type Demo, demoWithClient, installed } from "./sdk/demo.ts";

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

describe("the command line of users from its package", function () {
  this.timeout(600_000);
  let folder: string;
  let home: string;
  let config: string;
  let demo: Demo;
  let program: string;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-cli-"));
    config = path.join(folder, "config/credentials.json");
    demo = await demoWithClient(folder, ["typescript", "cli"]);
    home = await installed(folder, ["typescript", "cli"]);
    program = path.join(home, "node_modules/.bin/kantoor");
  });
  after(async () => {
    await demo?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a line; `seen` gets the standard error as it grows. */
  function kantoor(
    args: string[],
    { environment = {}, input = "", seen }: { environment?: object; input?: string; seen?: (err: string) => void } = {},
  ): Promise<Ended> {
    const { PATH } = cleanEnvironment();
    const env = { PATH, KANTOOR_CONFIG: config, KANTOOR_BROWSER: "none", ...environment };
    const child = spawn(program, args, { cwd: home, env });
    const ended: Ended = { code: null, out: "", err: "" };
    child.stdout.on("data", (chunk) => {
      ended.out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      ended.err += chunk;
      seen?.(ended.err);
    });
    child.stdin.end(input);
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ ...ended, code }));
    });
  }
  const withKey = (args: string[], input = "") =>
    kantoor(args, { environment: { KANTOOR_URL: demo.url, KANTOOR_KEY: demo.key }, input });
  const json = async (args: string[], input = "") => {
    const { code, out, err } = await withKey([...args, "--json"], input);
    expect(code, err).to.equal(0);
    return JSON.parse(out);
  };

  it("has every operation of the document that answers, and its data in one file of at most 600 kB", async () => {
    const file = path.join(home, "node_modules/@kantoor/cli/dist/commands.json");
    expect(statSync(file).size).to.be.within(1, 600_000);
    const names = Object.keys(JSON.parse(readFileSync(file, "utf8")).commands);
    const { paths } = JSON.parse(readFileSync(path.join(folder, "openapi.json"), "utf8")) as {
      paths: Record<string, Record<string, { "x-sdk-name": string; responses: object }>>;
    };
    const answering = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ responses }) => Object.keys(responses).some((status) => status.startsWith("2")));
    expect(names.sort()).to.deep.equal(answering.map((one) => one["x-sdk-name"]).sort());
  });

  it("creates, lists in tables and in JSON, changes, and walks all pages", async () => {
    const made = await json(["companies", "create", "--name", "Zeilmakerij Kabel", "--country", "NL"]);
    expect(made.name).to.equal("Zeilmakerij Kabel");
    for (const name of ["Kabel Een", "Kabel Twee"]) await json(["companies", "create", "--body", "-"], JSON.stringify({ name }));
    const shown = await withKey(["companies", "list", "--q", "zeilmakerij kabel", "--columns", "name,country"]);
    expect(shown).to.deep.equal({ code: 0, out: "NAME               COUNTRY\nZeilmakerij Kabel  NL\n", err: "" });
    expect((await withKey(["companies", "list", "--limit", "1"])).err).to.match(/^1 of \d+; --all has all\.\n$/);
    const all = await json(["companies", "list", "--q", "kabel", "--limit", "1", "--all"]);
    expect(all.map(({ name }: { name: string }) => name)).to.have.members(["Zeilmakerij Kabel", "Kabel Een", "Kabel Twee"]);
    const changed = await json(["companies", "update", made.id, "--city", "Gouda", "--null", "country"]);
    expect([changed.city, changed.country]).to.deep.equal(["Gouda", null]);
    const read = await withKey(["companies", "get", made.id]);
    expect(read.out).to.match(/^city +Gouda$/m);
  });

  it("starts and stops a timer by short words", async () => {
    const running = await json(["time", "start", "--description", "Cutting"]);
    expect(running.description).to.equal("Cutting");
    expect((await withKey(["time", "stop"])).code).to.equal(0);
  });

  it("sends files, and writes those of answers where it was asked to", async () => {
    const { id } = await json(["companies", "create", "--name", "Touwslagerij"]);
    const pixel = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    writeFileSync(path.join(home, "pixel.png"), pixel);
    const owner = ["--entity-type", "company", "--entity-id", id];
    const sent = await json(["files", "create", ...owner, "--file", "pixel.png"]);
    const target = path.join(home, "copy.png");
    const written = await withKey(["files", "get", sent.id, "--output", target]);
    expect(written).to.deep.equal({ code: 0, out: "", err: `${target}\n` });
    expect(readFileSync(target).equals(pixel)).to.equal(true);
    writeFileSync(path.join(home, "rows.csv"), "name,city\nMastmakerij,Hoorn\n");
    const { created } = await json(["impex", "company", "import", "--no-dry-run", "--file", "rows.csv"]);
    expect(created).to.equal(1);
    const exported = await withKey(["impex", "company", "export", "--format", "csv", "--q", "Mastmakerij"]);
    expect(exported.out).to.match(/Mastmakerij/);
  });

  it("ends with 1 for what is refused and not reached, 2 for what it does not understand", async () => {
    const refused = await withKey(["companies", "create", "--name", ""]);
    expect(refused.code).to.equal(1);
    expect(refused.err).to.match(/^kantoor: 422 validation: errors\.validation\n {2}name {2}errors\.\S+\n {2}request \S+\n$/);
    const none = await kantoor(["companies", "list"], {
      environment: { KANTOOR_URL: "http://127.0.0.1:9", KANTOOR_KEY: "kt_1" },
    });
    expect(none.code).to.equal(1);
    const typo = await withKey(["companies", "list", "--qq", "a"]);
    expect([typo.code, typo.out]).to.deep.equal([2, ""]);
    expect(typo.err).to.equal("kantoor: There is no flag --qq; did you mean --q?\n");
  });

  it("calls any path", async () => {
    const { code, out } = await withKey(["request", "GET", "/companies?limit=1&q=kabel", "--json"]);
    expect([code, JSON.parse(out).items.length]).to.deep.equal([0, 1]);
  });

  it("shows help without a service", async () => {
    for (const [args, text] of [
      [["--help"], "companies"],
      [["companies", "--help"], "companies list"],
      [["companies", "list", "--help"], "--q <text>"],
    ] as [string[], string][]) {
      const { code, out } = await kantoor(args);
      expect([code, out.includes(text)]).to.deep.equal([0, true]);
    }
  });

  it("completes in bash", async () => {
    const script = `PATH=${path.dirname(program)}:$PATH
      source <(kantoor completion bash)
      COMP_WORDS=(kantoor companies list --so); COMP_CWORD=3; _kantoor; printf '%s\\n' "\${COMPREPLY[@]}"
      COMP_WORDS=(kantoor comp); COMP_CWORD=1; _kantoor; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const child = spawn("bash", ["-c", script], { cwd: home, env: cleanEnvironment() });
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    await new Promise((resolve) => child.on("close", resolve));
    expect(out.split("\n")).to.deep.equal(["--sort", "completion", "companies", ""]);
  });

  describe("signs in with the browser", () => {
    /** What the person's browser does: sign in, allow some permissions, follow the redirect. */
    async function allow(address: string, scopes: string[]): Promise<void> {
      const { email, password } = demo.owner;
      const form = new URLSearchParams({ username: email, password });
      const login = await fetch(`${demo.url}/api/v1/auth/login`, { method: "POST", body: form });
      const cookie = login.headers.getSetCookie().map((one) => one.split(";")[0]);
      const asked = Object.fromEntries(new URL(address).searchParams);
      const { client_id, redirect_uri, code_challenge, code_challenge_method, state } = asked;
      const answer = await fetch(`${demo.url}/api/v1/oauth/consent`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Cookie: cookie.join("; ") },
        body: JSON.stringify({ client_id, redirect_uri, code_challenge, code_challenge_method, state, scopes }),
      });
      const { redirect_to: back } = (await answer.json()) as { redirect_to: string };
      const wrong = new URL(back);
      wrong.searchParams.set("state", "of another");
      expect((await fetch(wrong)).status).to.equal(400);
      expect((await fetch(back)).status).to.equal(200);
    }
    const stored = () => JSON.parse(readFileSync(config, "utf8")).addresses[demo.url];
    const login = async (): Promise<Ended> => {
      let allowed: Promise<void> | undefined;
      const ended = await kantoor(["login", "--url", demo.url], {
        seen: (err) => {
          const address = /Sign in at (\S+)\n/.exec(err)?.[1];
          if (address) allowed ??= allow(address, ["companies.company.read"]);
        },
      });
      await allowed;
      return ended;
    };

    it("stores the token for its owner alone, and acts within what was allowed", async () => {
      const { code, err } = await login();
      expect(code, err).to.equal(0);
      expect(statSync(config).mode & 0o777).to.equal(0o600);
      expect((await kantoor(["companies", "list", "--limit", "1"])).code).to.equal(0);
      const refused = await kantoor(["companies", "create", "--name", "Not allowed"]);
      expect([refused.code, refused.err.split(":")[1]]).to.deep.equal([1, " 403 forbidden"]);
    });

    it("renews a token that has ended", async () => {
      const all = JSON.parse(readFileSync(config, "utf8"));
      const { accessToken, refreshToken } = all.addresses[demo.url];
      all.addresses[demo.url].expiresAt = Date.now();
      writeFileSync(config, JSON.stringify(all));
      expect((await kantoor(["companies", "list", "--limit", "1"])).code).to.equal(0);
      expect(stored().accessToken).not.to.equal(accessToken);
      expect(stored().refreshToken).not.to.equal(refreshToken);
    });

    it("signs out at the service too, and in again as the same client", async () => {
      const { accessToken, clientId } = stored();
      expect((await kantoor(["logout"])).code).to.equal(0);
      const answer = await fetch(`${demo.url}/api/v1/companies`, { headers: { Authorization: `Bearer ${accessToken}` } });
      expect(answer.status).to.equal(401);
      expect((await kantoor(["companies", "list"])).err).to.include("run kantoor login");
      expect((await login()).code).to.equal(0);
      expect(stored().clientId).to.equal(clientId);
    });

    it("stores a key after trying it", async () => {
      const wrong = await kantoor(["login", "--url", demo.url, "--key", "-"], { input: "kt_wrong\n" });
      expect([wrong.code, stored().key]).to.deep.equal([1, undefined]);
      const right = await kantoor(["login", "--url", demo.url, "--key", "-"], { input: `${demo.key}\n` });
      expect([right.code, stored().key]).to.deep.equal([0, demo.key]);
      expect(readdirSync(path.dirname(config))).to.deep.equal(["credentials.json"]);
    });
  });
});
