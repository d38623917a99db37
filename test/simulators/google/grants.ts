import { randomBytes } from "node:crypto";

/** Google keeps at most this many refresh tokens per person and OAuth client; another one revokes the oldest. */
const MOST_REFRESH_TOKENS = 100;
/** Lifetime of an access token in seconds. */
const LIFETIME = 3599;

export interface GooglePersonRecord {
  subject: string;
  email: string;
}

export interface SimulatedClient {
  id: string;
  secret: string;
}

/** One person's grant to one OAuth client. */
export interface SimulatedGrant {
  person: GooglePersonRecord;
  clientId: string;
  scopes: Set<string>;
  /** Oldest first. */
  refreshTokens: string[];
}

export interface SimulatedCode {
  grant: SimulatedGrant;
  redirectUri: string;
  givesRefreshToken: boolean;
}

export interface SimulatedAccess {
  grant: SimulatedGrant;
  /** The grant's scopes when it was issued. */
  scopes: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

const random = (prefix: string) => `${prefix}${randomBytes(24).toString("base64url")}`;
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Google's people, OAuth clients, grants and tokens. */
export class GrantState {
  readonly people: GooglePersonRecord[] = [];
  readonly clients: SimulatedClient[] = [];
  readonly grants: SimulatedGrant[] = [];
  readonly codes = new Map<string, SimulatedCode>();
  readonly access = new Map<string, SimulatedAccess>();
  /** Every token and secret ever issued, for tests that search for leaks. */
  readonly secrets: string[] = [];
  /** Lifetime of new access tokens in seconds. */
  lifetime = LIFETIME;
  /** False: token responses omit `scope`. */
  namesScopes = true;

  clear(): void {
    for (const kept of [this.people, this.clients, this.grants, this.secrets]) kept.length = 0;
    this.codes.clear();
    this.access.clear();
    this.lifetime = LIFETIME;
    this.namesScopes = true;
  }

  #secret(prefix: string): string {
    const made = random(prefix);
    this.secrets.push(made);
    return made;
  }

  client(): SimulatedClient {
    const made = { id: `${randomBytes(6).toString("hex")}.apps.googleusercontent.com`, secret: this.#secret("GOCSPX-") };
    this.clients.push(made);
    return made;
  }

  person(email: string): GooglePersonRecord {
    const made = { subject: String(10n ** 20n + BigInt(this.people.length)), email };
    this.people.push(made);
    return made;
  }

  /** The grant of a person to a client; scopes add up (`include_granted_scopes`). */
  granted(person: GooglePersonRecord, clientId: string, scopes: readonly string[]): SimulatedGrant {
    let grant = this.grantOf(person, clientId);
    if (!grant) this.grants.push((grant = { person, clientId, scopes: new Set(), refreshTokens: [] }));
    for (const scope of scopes) grant.scopes.add(scope);
    return grant;
  }

  grantOf = ({ subject }: GooglePersonRecord, clientId: string): SimulatedGrant | undefined =>
    this.grants.find((one) => one.person.subject === subject && one.clientId === clientId);

  code(code: SimulatedCode): string {
    const made = this.#secret("4/0A");
    this.codes.set(made, code);
    return made;
  }

  /** Ends a grant with all its tokens, as when the person revokes it at Google or any of its tokens is revoked. */
  revoke(grant: SimulatedGrant): void {
    this.grants.splice(this.grants.indexOf(grant), 1);
    for (const [token, one] of this.access) if (one.grant === grant) this.access.delete(token);
  }

  /** The token endpoint's response for a grant. */
  tokens(grant: SimulatedGrant, { refresh = false, identity = false } = {}): object {
    const access_token = this.#secret("ya29.");
    this.access.set(access_token, { grant, scopes: new Set(grant.scopes), expiresAt: Date.now() + this.lifetime * 1000 });
    return {
      access_token,
      expires_in: this.lifetime,
      token_type: "Bearer",
      ...(this.namesScopes && { scope: [...grant.scopes].join(" ") }),
      ...(refresh && { refresh_token: this.#refreshToken(grant) }),
      ...(identity && { id_token: this.#idToken(grant) }),
    };
  }

  #refreshToken({ refreshTokens }: SimulatedGrant): string {
    const made = this.#secret("1//0");
    refreshTokens.push(made);
    if (refreshTokens.length > MOST_REFRESH_TOKENS) refreshTokens.shift();
    return made;
  }

  #idToken({ person, clientId }: SimulatedGrant): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: "https://accounts.google.com",
      aud: clientId,
      sub: person.subject,
      email: person.email,
      iat: now,
      exp: now + 3600,
    };
    const made = `${encoded({ alg: "RS256", kid: "simulated" })}.${encoded(claims)}.${random("")}`;
    this.secrets.push(made);
    return made;
  }
}
