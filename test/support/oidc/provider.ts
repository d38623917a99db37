import { generateKeyPair, type KeyObject, type webcrypto } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { exportJWK, type JWTPayload, SignJWT } from "jose";
import Provider, { type KoaContextWithOIDC } from "oidc-provider";
import { certificate, certificateKey } from "../certificate.ts";

type Claims = Record<string, unknown>;

/** The next person to sign in at the provider, and changes to the ID token on its way. */
export interface Visitor {
  sub: string;
  /** Claims of the ID token in addition to `sub`. */
  claims?: Claims;
  /** The profile endpoint's response; null answers 500. */
  profile?: Claims | null;
  /** Changes claims of the ID token; the provider's own key signs it again. */
  forged?: (claims: JWTPayload) => JWTPayload;
  /** Who signs the ID token: the provider, another key with its id, or nobody. */
  signature?: "own" | "other" | "none";
  /** An error the provider returns instead of a code. */
  error?: string;
}

/** A third-party OpenID Connect provider (oidc-provider), on https at 127.0.0.1 with the tests' certificate. */
export interface TestProvider {
  issuer: string;
  discoveryUrl: string;
  client: { client_id: string; client_secret: string };
  visitor: Visitor;
  /** Paths that were called, oldest first. */
  calls: string[];
  /** Paths that answer 500, or this body. */
  broken: Map<string, string | null>;
  /** Goes through the provider's pages like a browser, from the address sign-in redirected to. @returns the callback's address */
  visit(address: string): Promise<URL>;
  stop(): Promise<void>;
}

const CLIENT = { client_id: "kantoor", client_secret: "a secret of forty characters, or so it is" };

const makeKey = async (): Promise<KeyObject> =>
  (await promisify(generateKeyPair)("ec", { namedCurve: "P-256" })).privateKey as KeyObject;

const unsigned = (claims: JWTPayload): string =>
  `${[{ alg: "none" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;

const claimsIn = (token: string): JWTPayload =>
  JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString()) as JWTPayload;

export async function startProvider(): Promise<TestProvider> {
  const [own, other] = [await makeKey(), await makeKey()];
  const server = createServer({ key: certificateKey, cert: certificate });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const test: TestProvider = {
    issuer,
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    client: CLIENT,
    visitor: { sub: "none" },
    calls: [],
    broken: new Map(),
    visit: (address) => visit(address, issuer),
    stop: () => stop(server),
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        ...CLIENT,
        redirect_uris: ["http://anywhere.kantoor.test/callback"],
        response_types: ["code"],
        id_token_signed_response_alg: "ES256",
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(own)), kid: "own", alg: "ES256", use: "sig" }] as never },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "picture"] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: { keys: ["test"] },
    ttl: { AccessToken: 600, AuthorizationCode: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: async (use) => ({ sub, ...(use === "userinfo" ? test.visitor.profile : test.visitor.claims) }),
    }),
    loadExistingGrant: async (context: KoaContextWithOIDC) => {
      const { Client, Session } = context.oidc.entities as { Client: { clientId: string }; Session: { accountId: string } };
      const grant = new provider.Grant({ clientId: Client.clientId, accountId: Session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  // Each of the tests' organisations has its own host.
  provider.Client.prototype.redirectUriAllowed = () => true;

  const idToken = async (token: string): Promise<string> => {
    const { signature = "own", forged = (claims) => claims } = test.visitor;
    const claims = forged(claimsIn(token));
    if (signature === "none") return unsigned(claims);
    const key = signature === "own" ? own : other;
    return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "own" }).sign(key as unknown as webcrypto.CryptoKey);
  };

  const callback = provider.callback();
  server.on("request", async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? "/").split("?")[0] as string;
    test.calls.push(path);
    const { visitor } = test;
    if (test.broken.has(path) || (path === "/me" && visitor.profile === null)) {
      const body = test.broken.get(path) ?? null;
      response.writeHead(body === null ? 500 : 200, { "Content-Type": "application/json" }).end(body ?? "{}");
      return;
    }
    if (path.startsWith("/interaction/")) {
      const result = visitor.error ? { error: visitor.error } : { login: { accountId: visitor.sub } };
      await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
      return;
    }
    if (path === "/token") changeToken(response, idToken);
    await callback(request, response);
  });
  return test;
}

/** Replaces the ID token in the token endpoint's response. */
function changeToken(response: ServerResponse, idToken: (token: string) => Promise<string>): void {
  const end = response.end.bind(response) as (body?: unknown) => ServerResponse;
  response.end = ((body?: Buffer | string) => {
    const text = body === undefined ? "" : body.toString();
    const answer = response.statusCode === 200 ? (JSON.parse(text) as { id_token: string }) : null;
    if (!answer) return end(body);
    void idToken(answer.id_token).then((id_token) => {
      const changed = JSON.stringify({ ...answer, id_token });
      response.setHeader("Content-Length", Buffer.byteLength(changed));
      end(changed);
    });
    return response;
  }) as typeof response.end;
}

async function visit(address: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  for (let at = new URL(address), hops = 0; hops < 10; hops++) {
    if (at.origin !== issuer) return at;
    const answer = await fetch(at, {
      redirect: "manual",
      headers: { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") },
    });
    await answer.arrayBuffer();
    for (const cookie of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] as string).split(/=(.*)/s);
      cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    if (!location) throw new Error(`the provider answered ${answer.status} at ${at.pathname}`);
    at = new URL(location, at);
  }
  throw new Error("the provider leads nowhere");
}

const stop = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
