import { expect } from "chai";
import { ClientDocuments } from "../../../simulators/client-documents.ts";
import { endsBefore } from "../../../support/effort.ts";
import { INVALID_GRANT, OAuthWorld, refusedWith, reported } from "./oauth-world.ts";

const UNKNOWN = [400, "not_found", "errors.oauth_client_unknown"];

describe("a client by its metadata document (access §8.2)", () => {
  const documents = new ClientDocuments();
  let world: OAuthWorld;
  before(async () => {
    await documents.start();
    world = await OAuthWorld.open();
  });
  after(async () => {
    await documents.stop();
    await world.service.stop();
  });

  it("needs no registration, and is called once while its document counts", async () => {
    const client_id = documents.serve({ client_uri: "https://app.example.com" });
    const { pathname } = new URL(client_id);
    const asked = () => documents.asked.filter((path) => path === pathname).length;
    expect((await world.describe({ client_id })).body).to.deep.include({
      client_name: "An app with a document",
      client_uri: "https://app.example.com",
    });
    const session = await world.session({ client_id });
    expect(await world.status(session.access_token)).to.equal(200);
    expect((await world.refreshed({ client_id }, session.refresh_token)).scope).to.equal("companies.company.read");
    expect(asked()).to.equal(1);
  });

  it("is written down by a consent alone", async () => {
    const client_id = documents.serve();
    const rows = async () =>
      (await world.service.sql.query("select 1 from oauth_clients where client_id = $1", [client_id])).rows.length;
    await world.describe({ client_id });
    expect(await rows()).to.equal(0);
    await world.code({ client_id });
    await world.code({ client_id });
    expect(await rows()).to.equal(1);
  });

  it("is one person's connection, unaffected by another's, and created again by a later consent", async () => {
    const client_id = documents.serve();
    const [colleague, administrator] = [await world.as("member"), await world.as("admin")];
    const [mine, theirs] = [await world.session({ client_id }), await colleague.session({ client_id })];
    const pending = await world.code({ client_id });
    const id = async (at: OAuthWorld) =>
      (await at.call("GET", "/oauth/connections")).body.find(({ client_name }: { client_name: string }) =>
        client_name.includes("document"),
      )?.id;
    const connection = await id(colleague);
    expect((await administrator.call("DELETE", `/oauth/connections/${connection}`)).status, "of others").to.equal(404);
    for (const own of (await world.call("GET", "/oauth/connections")).body)
      if (own.id === connection) expect((await world.call("DELETE", `/oauth/connections/${own.id}`)).status).to.equal(204);
    expect([await world.status(mine.access_token), await world.status(theirs.access_token)]).to.deep.equal([401, 200]);
    expect(refusedWith(await world.refresh({ client_id }, mine.refresh_token))).to.deep.equal(INVALID_GRANT);
    expect(refusedWith(await world.redeem({ client_id }, pending)), "a code of before").to.deep.equal(INVALID_GRANT);
    expect((await colleague.refresh({ client_id }, theirs.refresh_token)).status).to.equal(200);
    expect(await world.status((await world.session({ client_id })).access_token)).to.equal(200);
  });

  it("returns to the addresses of its document alone", async () => {
    const client_id = documents.serve({ redirect_uris: ["http://127.0.0.1/cb"] });
    expect((await world.describe({ client_id, redirect_uri: "http://127.0.0.1:4567/cb" })).status).to.equal(200);
    expect(reported(await world.describe({ client_id }))).to.deep.equal([400, "validation", "errors.oauth_redirect_mismatch"]);
  });

  it("is not a client once its document is gone, or says something else", async () => {
    const client_id = documents.serve({}, { "Cache-Control": "no-store" });
    const session = await world.session({ client_id });
    const made = await world.code({ client_id });
    documents.drop(client_id);
    const refused = [401, "invalid_client", "errors.oauth_client_unknown"];
    expect(refusedWith(await world.refresh({ client_id }, session.refresh_token))).to.deep.equal(refused);
    expect(refusedWith(await world.redeem({ client_id }, made))).to.deep.equal(refused);
    expect(reported(await world.describe({ client_id }))).to.deep.equal(UNKNOWN);
    expect(await world.status(session.access_token), "the token ends by itself").to.equal(200);
  });

  it("is not called by the token endpoint before a person here has approved it", async () => {
    const client_id = documents.serve();
    const before = documents.asked.length;
    expect(refusedWith(await world.refresh({ client_id }, "x"))[1]).to.equal("invalid_client");
    const other = await OAuthWorld.open(world.service);
    await other.code({ client_id });
    expect(refusedWith(await world.refresh({ client_id }, "x"))[1], "approved elsewhere").to.equal("invalid_client");
    expect(documents.asked.length - before, "the consent").to.equal(1);
  });

  const unusable: [what: string, serve: () => string][] = [
    ["names another client", () => documents.serve({ client_id: "https://app.example.com/client.json" })],
    ["carries a secret", () => documents.serve({ client_secret: "secret" })],
    ["asks for a secret", () => documents.serve({ token_endpoint_auth_method: "client_secret_post" })],
    ["would run script", () => documents.serve({ redirect_uris: ["javascript:alert(1)"] })],
    ["is a page", () => documents.serve({}, { "Content-Type": "text/html" })],
    [
      "is no JSON",
      () => documents.behave((response) => void response.writeHead(200, { "Content-Type": "application/json" }).end("{")),
    ],
    [
      "is an error",
      () => documents.behave((response) => void response.writeHead(500, { "Content-Type": "application/json" }).end("{}")),
    ],
    [
      "is elsewhere: no redirect is followed",
      () => {
        const there = documents.serve();
        return documents.behave((response) => void response.writeHead(302, { Location: there }).end());
      },
    ],
    [
      "would lead inside",
      () =>
        documents.behave(
          (response) => void response.writeHead(302, { Location: "http://169.254.169.254/latest/meta-data" }).end(),
        ),
    ],
    [
      "says that it is a gigabyte",
      () =>
        documents.behave(
          (response) =>
            void response.writeHead(200, { "Content-Type": "application/json", "Content-Length": String(2 ** 30) }).write("{"),
        ),
    ],
    [
      "never ends",
      () =>
        documents.behave((response) => {
          response.writeHead(200, { "Content-Type": "application/json" });
          const more = () => {
            while (!response.destroyed && response.write("x".repeat(65_536)));
          };
          response.on("drain", more);
          more();
        }),
    ],
  ];
  for (const [what, serve] of unusable)
    it(`is unknown when its document ${what}`, async () => {
      const client_id = serve();
      expect(reported(await world.describe({ client_id }))).to.deep.equal(UNKNOWN);
      expect(reported(await world.approve({ client_id }))).to.deep.equal(UNKNOWN);
    });

  it("is unknown when its document takes too long, which holds no connection of the database", async () => {
    const client_id = documents.behave(
      (response) => void response.writeHead(200, { "Content-Type": "application/json" }).write(" "),
    );
    const waiting = endsBefore(9_000, world.describe({ client_id }));
    expect((await world.call("GET", "/companies")).status).to.equal(200);
    expect(reported(await waiting)).to.deep.equal(UNKNOWN);
  }).timeout(15_000);

  const addresses = [
    "https://127.0.0.1/client.json",
    "https://10.0.0.1/client.json",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/client.json",
    "https://[::ffff:127.0.0.1]/client.json",
    "https://localhost/client.json",
    "http://93.184.216.34/client.json",
    "https://user@93.184.216.34/client.json",
    "https://93.184.216.34/client.json#x",
    "https://93.184.216.34/",
  ];
  for (const client_id of addresses)
    it(`is never looked for at ${client_id}`, async () => {
      const before = documents.asked.length;
      expect(reported(await world.describe({ client_id }))).to.deep.equal(UNKNOWN);
      expect(documents.asked.length).to.equal(before);
    });
});
