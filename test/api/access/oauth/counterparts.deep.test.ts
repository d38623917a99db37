import http from "node:http";
import { auth, type OAuthClientProvider } from "@modelcontextprotocol/client";
import { expect } from "chai";
import * as oauth from "oauth4webapi";
import { action } from "../../../../core/declare/action.ts";
import type { Principal } from "../../../../core/declare/principal.ts";
import { answer, nullable, Type } from "../../../../core/schema/schema.ts";
import { isMeantFor } from "../../../../core/security/oauth-resource.ts";
import { service as actor } from "../../../../mixins/resource.ts";
import { ClientDocuments } from "../../../simulators/client-documents.ts";
import { visitPage } from "../../../support/pages.ts";
import { startService } from "../../../support/service.ts";
import { CALLBACK, OAuthWorld } from "./oauth-world.ts";

/** Returns the gateway's data about a caller's token, as a protected resource sees it. */
const caller = actor("proof.caller", {
  actions: {
    audience: action({
      rest: "GET /proof/audience",
      summary: "Which resource the caller's token was recorded for",
      permission: "companies.company.read",
      returns: answer("ProofAudience", { resource: nullable(Type.String()), fits: Type.Boolean() }),
      handler({ meta: { principal, origin } }) {
        const { credential } = principal as Principal;
        return { resource: credential.resource ?? null, fits: isMeantFor({ credential }, origin, "/mcp") };
      },
    }),
  },
});

/** The service behind https, as a proxy shows it to clients: they insist on it. */
describe("clients that others wrote", () => {
  const documents = new ClientDocuments();
  let world: OAuthWorld;
  let origin: string;
  before(async () => {
    await documents.start();
    const service = await startService({ SERVICE_PUBLIC_SCHEME: "https" }, [caller]);
    world = await OAuthWorld.open(service, "owner");
    origin = `https://${world.tenant.host}`;
  });
  after(async () => {
    await documents.stop();
    await world.service.stop();
  });

  /** A `fetch` that reaches the service by its public address. */
  const reach = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    expect(url.origin).to.equal(origin);
    const body = Buffer.from(await request.arrayBuffer());
    const headers = { ...Object.fromEntries(request.headers), host: url.host, "content-length": String(body.length) };
    return new Promise((resolve, reject) => {
      const call = http.request(
        { port: world.service.port, host: "127.0.0.1", method: request.method, path: url.pathname + url.search, headers },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on("data", (part: Buffer) => parts.push(part));
          answer.on("end", () => {
            const shown = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
            const status = answer.statusCode as number;
            resolve(new Response(status === 204 ? null : Buffer.concat(parts), { status, headers: shown }));
          });
        },
      );
      call.on("error", reject).end(body);
    });
  };

  /** The person's part in a browser: opens the page, keeps the ticks, and follows the redirect. */
  const consent = async (address: URL): Promise<URL> => {
    const { port } = world.service;
    const path = address.pathname + address.search;
    const page = await visitPage(port, world.tenant.host, "GET", path, { cookie: world.cookie });
    expect(page.status, page.text).to.equal(200);
    const ticked = [...page.text.matchAll(/name="scope" value="([^"]+)" checked/g)].map(
      ([, value]) => ["scope", value] as [string, string],
    );
    expect(ticked).to.deep.include(["scope", "companies.company.read"]);
    const form: [string, string][] = [["decision", "allow"], ...ticked];
    const headers = { Origin: origin };
    const sent = await visitPage(port, world.tenant.host, "POST", path, { cookie: world.cookie, form, headers });
    expect(sent.status, sent.text).to.equal(303);
    return new URL(sent.headers.location as string);
  };
  const audience = async (token: string) => (await world.with(token, "/proof/audience")).body;
  const opens = async (token: string): Promise<number> => world.status(token);

  it("oauth4webapi: discovery, registration, consent, token, refresh and revocation", async () => {
    const own = { [oauth.customFetch]: reach };
    const resource = new URL(`${origin}/mcp`);
    const described = await oauth.processResourceDiscoveryResponse(resource, await oauth.resourceDiscoveryRequest(resource, own));
    expect(described.authorization_servers).to.deep.equal([origin]);
    const issuer = new URL(origin);
    const discovery = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...own });
    const server = await oauth.processDiscoveryResponse(issuer, discovery);
    const metadata = { redirect_uris: [CALLBACK], client_name: "oauth4webapi", token_endpoint_auth_method: "client_secret_post" };
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(server, metadata, own),
    );
    const secret = oauth.ClientSecretPost(client.client_secret as string);

    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const address = new URL(server.authorization_endpoint as string);
    const asked = {
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      response_type: "code",
      scope: "mcp:read",
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      resource: described.resource,
      state,
    };
    for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
    const parameters = oauth.validateAuthResponse(server, client, await consent(address), state);
    const redeem = await oauth.authorizationCodeGrantRequest(server, client, secret, parameters, CALLBACK, verifier, {
      ...own,
      additionalParameters: { resource: described.resource },
    });
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, redeem);
    expect([tokens.token_type, tokens.expires_in, await opens(tokens.access_token)]).to.deep.equal(["bearer", 3600, 200]);
    expect(tokens.scope?.split(" ")).to.include("companies.company.read").and.not.include("members.member.read");

    const refresh = await oauth.refreshTokenGrantRequest(server, client, secret, tokens.refresh_token as string, own);
    const next = await oauth.processRefreshTokenResponse(server, client, refresh);
    expect([await opens(tokens.access_token), await opens(next.access_token)]).to.deep.equal([401, 200]);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, secret, next.refresh_token as string, own),
    );
    expect(await opens(next.access_token)).to.equal(401);
    const late = await oauth.refreshTokenGrantRequest(server, client, secret, next.refresh_token as string, own);
    const refused = await oauth.processRefreshTokenResponse(server, client, late).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(oauth.ResponseBodyError).and.to.include({ error: "invalid_grant", status: 400 });
  });

  it("oauth4webapi: an answer of another issuer is rejected, so that codes are not mixed up", async () => {
    const server = { issuer: origin, authorization_response_iss_parameter_supported: true };
    const { client_id } = await world.register();
    const client = { client_id };
    const sent = {
      response_type: "code",
      client_id,
      redirect_uri: CALLBACK,
      code_challenge: "x".repeat(43),
      code_challenge_method: "S256",
      state: "s",
    };
    const back = await consent(new URL(`${origin}/oauth/authorize?${new URLSearchParams(sent)}`));
    expect(oauth.validateAuthResponse(server, client, back, "s").get("iss")).to.equal(origin);
    const other = { ...server, issuer: "https://evil.example" };
    expect(() => oauth.validateAuthResponse(other, client, back, "s")).to.throw(oauth.OperationProcessingError, /iss/);
  });

  it("are distinguished by the resource that their tokens were recorded for", async () => {
    const client = await world.register();
    const [other, none] = [await world.session(client, { resource: `${origin}/mcp/other` }), await world.session(client)];
    expect(await audience(other.access_token)).to.deep.equal({ resource: `${origin}/mcp/other`, fits: false });
    expect(await audience((await world.refreshed(client, other.refresh_token)).access_token)).to.include({ fits: false });
    expect(await audience(none.access_token)).to.deep.equal({ resource: null, fits: true });
    expect((await world.person.get("/proof/audience")).body, "a key made by hand").to.deep.equal({ resource: null, fits: true });
  });

  /** The storage of a program with the MCP client library, in memory. */
  class Program implements OAuthClientProvider {
    readonly redirectUrl = CALLBACK;
    readonly clientMetadata = { redirect_uris: [CALLBACK], client_name: "MCP program", scope: "mcp:read" };
    readonly clientMetadataUrl?: string;
    kept: Record<string, unknown> = {};
    sentTo: URL | undefined;

    constructor(clientMetadataUrl?: string) {
      if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
    }
    clientInformation() {
      return this.kept["client"] as never;
    }
    saveClientInformation(client: unknown) {
      this.kept["client"] = client;
    }
    tokens() {
      return this.kept["tokens"] as never;
    }
    saveTokens(tokens: unknown) {
      this.kept["tokens"] = tokens;
    }
    redirectToAuthorization(address: URL) {
      this.sentTo = address;
    }
    saveCodeVerifier(verifier: string) {
      this.kept["verifier"] = verifier;
    }
    codeVerifier() {
      return this.kept["verifier"] as string;
    }
    state() {
      return "state of the program";
    }
    saveDiscoveryState(found: unknown) {
      this.kept["discovery"] = found;
    }
    discoveryState() {
      return this.kept["discovery"] as never;
    }
    invalidateCredentials(scope: string) {
      if (scope === "tokens") delete this.kept["tokens"];
    }
  }

  const doors: [how: string, address: () => string | undefined][] = [
    ["by registration", () => undefined],
    ["by a metadata document", () => documents.serve({ client_name: "MCP program" })],
  ];
  for (const [how, address] of doors)
    it(`@modelcontextprotocol/client: the whole of its authorization, ${how}`, async () => {
      const program = new Program(address());
      const at = { serverUrl: `${origin}/mcp`, fetchFn: reach as never, scope: "mcp:read" };
      expect(await auth(program, at)).to.equal("REDIRECT");
      const asked = program.sentTo as URL;
      expect(asked.searchParams.get("resource")).to.equal(`${origin}/mcp`);
      const back = (await consent(asked)).searchParams;
      expect(back.get("state")).to.equal("state of the program");
      const answer = { authorizationCode: back.get("code") as string, iss: back.get("iss") as string };
      expect(await auth(program, { ...at, ...answer })).to.equal("AUTHORIZED");
      const first = program.kept["tokens"] as { access_token: string; refresh_token: string };
      expect(await opens(first.access_token)).to.equal(200);
      expect(await audience(first.access_token)).to.deep.equal({ resource: `${origin}/mcp`, fits: true });
      expect(await auth(program, at), "by its refresh token").to.equal("AUTHORIZED");
      const next = program.kept["tokens"] as typeof first;
      expect([await opens(first.access_token), await opens(next.access_token)]).to.deep.equal([401, 200]);
      const { client_id } = program.kept["client"] as { client_id: string };
      expect(client_id.startsWith("https://")).to.equal(program.clientMetadataUrl !== undefined);
      await world.form("/oauth/revoke", { token: next.refresh_token });
      expect(await auth(program, at), "it has to ask again").to.equal("REDIRECT");
    });
});
