import { createHash, randomBytes } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Credentials, SignIn } from "./credentials.ts";
import { StateError } from "./usage.ts";

/** What the program uses of the authorization server's metadata (RFC 8414). */
interface Server {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  registration_endpoint: string;
  revocation_endpoint: string;
}

interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
}

const NAME = "Kantoor command line";
/** Registered without a port: any free one can be used (RFC 8252 §7.3). */
const REDIRECT = "http://127.0.0.1/callback";
const CALL_TIMEOUT = 30_000;
const SIGN_IN_TIMEOUT = 5 * 60_000;
/** A token that is renewed this long before its end is never refused for a slow clock or a slow call. */
const EARLY = 60_000;

async function call(url: string, init: RequestInit = {}): Promise<Response> {
  try {
    // A redirect would send tokens to another address.
    return await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(CALL_TIMEOUT) });
  } catch (error) {
    throw new StateError(`${new URL(url).origin} could not be reached (${String((error as Error).cause ?? error)}).`);
  }
}

const form = (fields: Record<string, string>): RequestInit => ({ method: "POST", body: new URLSearchParams(fields) });

async function refusal(answer: Response): Promise<string> {
  const { error = `http_${answer.status}`, error_description: about } = (await answer.json().catch(() => ({}))) as {
    error?: string;
    error_description?: string;
  };
  return about ? `${error}: ${about}` : error;
}

/** Reads where to sign in. Every endpoint has to be at the address that was asked. @throws StateError */
async function discover(address: string): Promise<Server> {
  const answer = await call(`${address}/.well-known/oauth-authorization-server`);
  if (!answer.ok) throw new StateError(`${address} answered ${answer.status}: there is no Kantoor at this address.`);
  const server = (await answer.json().catch(() => ({}))) as Partial<Server>;
  const { authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint } = server;
  const endpoints = [authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint];
  const isHere = (url: string | undefined) => url !== undefined && URL.canParse(url) && new URL(url).origin === address;
  if (server.issuer !== address || !endpoints.every(isHere))
    throw new StateError(`${address} names another address as its own: ${server.issuer ?? "none"}. Sign in there.`);
  return server as Server;
}

/** Whether the server still knows a client: it judges the client before the token, and this token is none. */
async function knows(server: Server, clientId: string): Promise<boolean> {
  const answer = await call(
    server.token_endpoint,
    form({ grant_type: "refresh_token", client_id: clientId, refresh_token: "none" }),
  );
  const { error } = (await answer.json().catch(() => ({}))) as { error?: string };
  return error !== "invalid_client";
}

async function register(server: Server): Promise<string> {
  const answer = await call(server.registration_endpoint, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ client_name: NAME, redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" }),
  });
  if (!answer.ok) throw new StateError(`The program could not be registered: ${await refusal(answer)}.`);
  return ((await answer.json()) as { client_id: string }).client_id;
}

/** Waits on a loopback port for the browser to come back. */
class Callback {
  readonly #server = http.createServer();
  async open(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/callback`;
  }
  /** The parameters of the first return that carries the state; others are answered 400 and change nothing. */
  async parameters(state: string): Promise<URLSearchParams> {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        timer = setTimeout(() => reject(new StateError("Nobody signed in within five minutes.")), SIGN_IN_TIMEOUT);
        this.#server.on("request", (request, response) => {
          const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
          const fits = request.method === "GET" && pathname === "/callback" && searchParams.get("state") === state;
          const text = !fits
            ? "This is not the answer to the sign-in."
            : searchParams.has("code")
              ? "You are signed in. You can close this page and go back to the terminal."
              : "You are not signed in. You can close this page.";
          const headers = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", Connection: "close" };
          response.writeHead(fits ? 200 : 400, headers).end(`${text}\n`, () => fits && resolve(searchParams));
        });
      });
    } finally {
      clearTimeout(timer);
    }
  }
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const signInOf = (clientId: string, { access_token, refresh_token, expires_in }: Tokens): SignIn => ({
  clientId,
  accessToken: access_token,
  refreshToken: refresh_token,
  expiresAt: Date.now() + expires_in * 1000,
});

/**
 * Signs a person in with the browser: OAuth 2.1 with PKCE, and a redirect to a loopback port (RFC 8252).
 * @param known the client of an earlier sign-in
 * @param scope permissions to ask for, with blanks between; empty for all
 * @param show called with the address of the page to sign in at
 * @throws StateError if it was refused, or did not happen within five minutes
 */
export async function signIn(
  address: string,
  { known, scope, show }: { known: string | undefined; scope: string; show: (url: string) => void },
): Promise<SignIn> {
  const server = await discover(address);
  const clientId = known !== undefined && (await knows(server, known)) ? known : await register(server);
  const verifier = randomBytes(32).toString("base64url");
  const state = randomBytes(16).toString("base64url");
  const callback = new Callback();
  try {
    const redirect = await callback.open();
    const back = callback.parameters(state);
    const asked = new URLSearchParams({
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirect,
      state,
      ...(scope !== "" && { scope }),
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    });
    show(`${server.authorization_endpoint}?${asked}`);
    const answer = await back;
    const code = answer.get("code");
    if (code === null) throw new StateError(`The sign-in was refused: ${answer.get("error") ?? "no code"}.`);
    // RFC 9207: a code of another server is never sent to this one.
    if (answer.get("iss") !== server.issuer) throw new StateError("The answer came from another server.");
    const fields = {
      grant_type: "authorization_code",
      client_id: clientId,
      code,
      redirect_uri: redirect,
      code_verifier: verifier,
    };
    const issued = await call(server.token_endpoint, form(fields));
    if (!issued.ok) throw new StateError(`The sign-in was refused: ${await refusal(issued)}.`);
    return signInOf(clientId, (await issued.json()) as Tokens);
  } finally {
    callback.close();
  }
}

const AGAIN = "The sign-in has ended: run kantoor login.";

/** The stored access token of an address, renewed first if it is about to end. @throws StateError if the sign-in has ended */
export async function accessToken(address: string, credentials: Credentials): Promise<string> {
  // Read again at each call: another process may have renewed it.
  const { clientId, accessToken: token, refreshToken, expiresAt = 0 } = credentials.read().addresses[address] ?? {};
  if (clientId === undefined || token === undefined || refreshToken === undefined) throw new StateError(AGAIN);
  if (Date.now() < expiresAt - EARLY) return token;
  const { token_endpoint } = await discover(address);
  const fields = { grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken };
  const answer = await call(token_endpoint, form(fields));
  if (answer.status === 400 || answer.status === 401) throw new StateError(`${AGAIN} (${await refusal(answer)})`);
  if (!answer.ok) throw new StateError(`The token could not be renewed: ${await refusal(answer)}.`);
  const renewed = signInOf(clientId, (await answer.json()) as Tokens);
  credentials.change(({ addresses }) => {
    addresses[address] = renewed;
  });
  return renewed.accessToken as string;
}

/** Ends a session at the server. @throws StateError if it could not be reached */
export async function revoke(address: string, token: string): Promise<void> {
  const { revocation_endpoint } = await discover(address);
  const answer = await call(revocation_endpoint, form({ token }));
  if (!answer.ok) throw new StateError(`The token could not be revoked: ${await refusal(answer)}.`);
}
