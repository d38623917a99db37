import { createHash, randomBytes } from "node:crypto";
import { expect } from "chai";
import type { Answer } from "../../../support/http.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { signIn } from "../../../support/sign-in.ts";

export const PASSWORD = "correct horse battery";
export const CALLBACK = "https://app.example.com/callback";
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** A verifier and its challenge. */
export function proof(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** A client as it was registered. */
export interface Registered {
  client_id: string;
  client_secret?: string;
}

/** A client's tokens and data of a person. */
export interface Session {
  access_token: string;
  refresh_token: string;
  scope: string;
}

/** An organisation with a person who is signed in, and the calls of a client. */
export class OAuthWorld {
  readonly service: TestService;
  readonly tenant: Tenant;
  readonly person: Caller;
  readonly cookie: string;

  constructor(service: TestService, tenant: Tenant, person: Caller, cookie: string) {
    this.service = service;
    this.tenant = tenant;
    this.person = person;
    this.cookie = cookie;
  }

  static async open(service?: TestService, role: "owner" | "admin" | "member" | "client" = "member"): Promise<OAuthWorld> {
    const running = service ?? (await sharedService());
    const tenant = await running.tenant();
    const person = await tenant.member(role, { password: PASSWORD });
    return new OAuthWorld(running, tenant, person, await signIn(running.port, tenant.host, person.email, PASSWORD));
  }

  /** The same organisation as another person sees it. */
  async as(role: "owner" | "admin" | "member", grants?: string[]): Promise<OAuthWorld> {
    const person = await this.tenant.member(role, { password: PASSWORD, ...(grants && { grants }) });
    return new OAuthWorld(
      this.service,
      this.tenant,
      person,
      await signIn(this.service.port, this.tenant.host, person.email, PASSWORD),
    );
  }

  get origin(): string {
    return `http://${this.tenant.host}`;
  }

  /** A call of the person's browser. */
  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const { cookie, tenant } = this;
    return this.service.call(method, path, { cookie, host: tenant.host, headers, ...(body !== undefined && { body }) });
  }

  /** A call of a program without credential. */
  anonymous(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.service.call(method, path, { host: this.tenant.host, headers, ...(body !== undefined && { body }) });
  }

  /** A call by access token. */
  with(token: string, path: string, host = this.tenant.host): Promise<Answer> {
    return this.service.call("GET", path, { host, headers: { Authorization: `Bearer ${token}` } });
  }

  form(path: string, members: Record<string, string>): Promise<Answer> {
    return this.anonymous("POST", path, new URLSearchParams(members).toString(), FORM);
  }

  async register(metadata: object = {}): Promise<Registered> {
    const answer = await this.anonymous("POST", "/oauth/register", {
      redirect_uris: [CALLBACK],
      client_name: "An app",
      ...metadata,
    });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  }

  describe(members: Record<string, string>): Promise<Answer> {
    return this.call("GET", `/oauth/consent?${new URLSearchParams({ redirect_uri: CALLBACK, ...members })}`);
  }

  approve(body: object): Promise<Answer> {
    const scopes = ["companies.company.read"];
    return this.call("POST", "/oauth/consent", { redirect_uri: CALLBACK, code_challenge: proof().challenge, scopes, ...body });
  }

  /** A code with the verifier it takes. */
  async code(client: Registered, more: object = {}): Promise<{ code: string; verifier: string }> {
    const { verifier, challenge } = proof();
    const answer = await this.approve({ client_id: client.client_id, code_challenge: challenge, ...more });
    expect(answer.status, answer.text).to.equal(200);
    return { code: new URL(answer.body.redirect_to).searchParams.get("code") as string, verifier };
  }

  redeem(
    client: Registered,
    { code, verifier }: { code: string; verifier: string },
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const own = { client_id: client.client_id, ...(client.client_secret && { client_secret: client.client_secret }) };
    const sent = { grant_type: "authorization_code", redirect_uri: CALLBACK, code, code_verifier: verifier };
    return this.form("/oauth/token", { ...sent, ...own, ...more });
  }

  refresh(client: Registered, token: string, more: Record<string, string> = {}): Promise<Answer> {
    const own = { client_id: client.client_id, ...(client.client_secret && { client_secret: client.client_secret }) };
    return this.form("/oauth/token", { grant_type: "refresh_token", refresh_token: token, ...own, ...more });
  }

  /** A session from the start. */
  async session(client: Registered, more: object = {}): Promise<Session> {
    const answer = await this.redeem(client, await this.code(client, more));
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  }

  async refreshed(client: Registered, token: string): Promise<Session> {
    const answer = await this.refresh(client, token);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  }

  /** Whether a token opens the API, as a status. */
  async status(token: string, path = "/companies"): Promise<number> {
    return (await this.with(token, path)).status;
  }

  /** Moves the instants of rows of this organisation. */
  async shift(table: string, set: string, where = "true"): Promise<void> {
    await this.service.sql.query(`update ${table} set ${set} where organisation_id = $1 and ${where}`, [
      this.tenant.organisation.id,
    ]);
  }

  /** Rows of the access audit by action, oldest first. */
  async audited(action: string): Promise<{ actor: string | null; target: string | null; detail: Record<string, unknown> }[]> {
    const { rows } = await this.service.sql.query(
      `select actor_id as actor, target_account_id as target, detail from access_audit
        where organisation_id = $1 and action = $2 order by created_at, id`,
      [this.tenant.organisation.id, action],
    );
    return rows;
  }
}

/** The refusal of an endpoint for programs. */
export const refusedWith = ({ status, body, headers }: Answer): unknown[] => {
  expect(headers["cache-control"]).to.equal("no-store");
  return [status, body.error, body.error_description];
};
/** What any other endpoint refused with. */
export const reported = ({ status, body }: Answer): unknown[] => [status, body?.error?.code, body?.error?.message];

/** `invalid_grant` as it always is. */
export const INVALID_GRANT = [400, "invalid_grant", "errors.oauth_invalid_grant"];
