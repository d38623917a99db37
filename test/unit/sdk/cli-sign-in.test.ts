import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { Credentials, credentialsFile } from "../../../sdk/cli/src/credentials.ts";
import { accessToken, signIn } from "../../../sdk/cli/src/oauth.ts";

/** What a fake authorization server does differently from one that works. */
interface Flaws {
  issuer?: string;
  tokenEndpoint?: string;
  /** Parameters of the redirect in place of those that belong there. */
  redirect?: Record<string, string>;
  /** Status of the token endpoint. */
  status?: number;
}

/** An authorization server whose page redirects at once. */
class FakeServer {
  readonly forms: Record<string, string>[] = [];
  flaws: Flaws = {};
  registered = 0;
  address = "";
  readonly #server = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const answer = (status: number, value: object) => response.writeHead(status).end(JSON.stringify(value));
    const { pathname } = new URL(request.url ?? "/", this.address);
    if (pathname === "/.well-known/oauth-authorization-server") {
      const endpoint = (name: string) => `${this.address}/${name}`;
      return answer(200, {
        issuer: this.flaws.issuer ?? this.address,
        authorization_endpoint: endpoint("authorize"),
        token_endpoint: this.flaws.tokenEndpoint ?? endpoint("token"),
        registration_endpoint: endpoint("register"),
        revocation_endpoint: endpoint("revoke"),
      });
    }
    if (pathname === "/register") {
      this.registered += 1;
      return answer(201, { client_id: `client-${this.registered}` });
    }
    const form = Object.fromEntries(new URLSearchParams(body));
    this.forms.push(form);
    if (form["refresh_token"] === "none")
      return form["client_id"] === "gone" ? answer(401, { error: "invalid_client" }) : answer(400, { error: "invalid_grant" });
    if (this.flaws.status) return answer(this.flaws.status, { error: "invalid_grant" });
    return answer(200, { access_token: `a${this.forms.length}`, refresh_token: `r${this.forms.length}`, expires_in: 3600 });
  });
  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.address = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
  /** What the browser does with the address of the page. */
  readonly show = (url: string): void => {
    const { redirect_uri: back = "", state = "" } = Object.fromEntries(new URL(url).searchParams);
    void fetch(`${back}?${new URLSearchParams({ code: "c", state, iss: this.address, ...this.flaws.redirect })}`);
  };
}

const messageOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "done",
    (error: Error) => error.message,
  );

describe("the sign-in of the command line", () => {
  let server: FakeServer;
  let folder: string;
  let credentials: Credentials;
  beforeEach(async () => {
    server = new FakeServer();
    await server.start();
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-cli-"));
    credentials = new Credentials(path.join(folder, "kantoor/credentials.json"));
  });
  afterEach(() => {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const sign = (known?: string) => signIn(server.address, { known, scope: "", show: server.show });

  it("exchanges the code with its verifier, and registers once", async () => {
    const made = await sign();
    expect(made).to.include({ clientId: "client-1", accessToken: "a1", refreshToken: "r1" });
    const [{ code_verifier: verifier, redirect_uri: back, ...form }] = server.forms as [Record<string, string>];
    expect(form).to.deep.equal({ grant_type: "authorization_code", client_id: "client-1", code: "c" });
    expect(verifier).to.match(/^[\w-]{43}$/);
    expect(back).to.match(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect((await sign("client-1")).clientId).to.equal("client-1");
    expect((await sign("gone")).clientId).to.equal("client-2");
  });

  const refused: [string, Flaws, RegExp][] = [
    ["a server that names another as its issuer", { issuer: "https://other.example" }, /names another address as its own/],
    ["a token endpoint at another address", { tokenEndpoint: "https://other.example/token" }, /names another address/],
    ["an answer of another server", { redirect: { iss: "https://other.example" } }, /came from another server/],
    ["a code that the server refuses", { status: 400 }, /The sign-in was refused: invalid_grant/],
  ];
  for (const [title, flaws, message] of refused)
    it(`refuses ${title}`, async () => {
      server.flaws = flaws;
      expect(await messageOf(sign())).to.match(message);
    });

  it("stores sign-ins in a file of its owner alone, as a whole", () => {
    credentials.change((stored) => {
      stored.addresses["https://a.example"] = { key: "kt_1" };
    });
    // A file that others could read is replaced by one that they cannot.
    chmodSync(credentials.file, 0o644);
    credentials.change((stored) => {
      stored.current = "https://a.example";
    });
    expect(statSync(credentials.file).mode & 0o777).to.equal(0o600);
    expect(statSync(path.dirname(credentials.file)).mode & 0o777).to.equal(0o700);
    expect(readdirSync(path.dirname(credentials.file))).to.deep.equal(["credentials.json"]);
    expect(credentials.read()).to.deep.equal({
      current: "https://a.example",
      addresses: { "https://a.example": { key: "kt_1" } },
    });
    writeFileSync(credentials.file, "{");
    expect(() => credentials.read()).to.throw("damaged");
  });

  it("has its file where the environment says", () => {
    expect(credentialsFile({ KANTOOR_CONFIG: "/a/b" })).to.equal("/a/b");
    expect(credentialsFile({ XDG_CONFIG_HOME: "/x" })).to.equal("/x/kantoor/credentials.json");
  });

  it("renews a token shortly before its end, stores the new one, and asks to sign in again when that is refused", async () => {
    const { address } = server;
    const store = (expiresAt: number) =>
      credentials.change(({ addresses }) => {
        addresses[address] = { clientId: "c", accessToken: "old", refreshToken: "r", expiresAt };
      });
    store(Date.now() + 120_000);
    expect(await accessToken(address, credentials)).to.equal("old");
    store(Date.now() + 30_000);
    expect(await accessToken(address, credentials)).to.equal("a1");
    expect(JSON.parse(readFileSync(credentials.file, "utf8")).addresses[address]).to.include({
      refreshToken: "r1",
      clientId: "c",
    });
    store(0);
    server.flaws = { status: 400 };
    expect(await messageOf(accessToken(address, credentials))).to.match(/run kantoor login/);
    server.flaws = { status: 503 };
    expect(await messageOf(accessToken(address, credentials))).to.match(/could not be renewed/);
  });
});
