import { expect } from "chai";
import { type PageCall, type Shown, sessionOf, visitPage } from "../../../support/pages.ts";
import { CALLBACK, OAuthWorld, PASSWORD, proof, type Registered } from "./oauth-world.ts";

describe("the consent page", () => {
  let world: OAuthWorld;
  let client: Registered;
  before(async () => {
    world = await OAuthWorld.open();
    client = await world.register({ client_name: "An <i>app</i>", client_uri: "https://app.example.com" });
  });
  after(() => world.service.stop());

  const visit = (method: string, path: string, call: PageCall = {}) =>
    visitPage(world.service.port, world.tenant.host, method, path, call);
  const pathOf = (members: Record<string, string | undefined>, own = proof()) => {
    const sent = {
      response_type: "code",
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      code_challenge: own.challenge,
      code_challenge_method: "S256",
      state: "s t",
      ...members,
    };
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(sent)) if (value !== undefined) parameters.set(name, value);
    return `/oauth/authorize?${parameters}`;
  };
  const show = (members: Record<string, string | undefined> = {}, { cookie } = world) =>
    visit("GET", pathOf(members), { cookie });
  const send = (form: [string, string][], members: Record<string, string | undefined> = {}, at = world, own = proof()) =>
    visit("POST", pathOf(members, own), { cookie: at.cookie, form });
  const boxes = ({ text }: Shown): Record<string, boolean> =>
    Object.fromEntries(
      [...text.matchAll(/<input type="checkbox" name="(?:scope|full)" value="([^"]+)"( checked)?>/g)].map(([, value, ticked]) => [
        value,
        !!ticked,
      ]),
    );
  const back = ({ status, headers }: Shown): URLSearchParams => {
    expect([status, headers.location?.startsWith(`${CALLBACK}?`)]).to.deep.equal([303, true]);
    expect(headers["referrer-policy"]).to.equal("no-referrer");
    return new URL(headers.location as string).searchParams;
  };

  it("has a visitor sign in first, and continues where the app began", async () => {
    const path = pathOf({});
    const away = await visit("GET", path);
    expect([away.status, away.headers.location]).to.deep.equal([303, `/login?next=${encodeURIComponent(path)}`]);
    const { email } = world.person;
    const next = new URL(away.headers.location as string, world.origin).searchParams.get("next") as string;
    const done = await visit("POST", "/login", { form: { username: email, password: PASSWORD, next } });
    expect(done.headers.location).to.equal(path);
    expect((await visit("GET", path, { cookie: sessionOf(done) })).status).to.equal(200);
  });

  it("shows the requester, the grantor and the destination, in the visitor's language", async () => {
    const page = await show();
    expect(page.status).to.equal(200);
    for (const part of [
      "An &#60;i&#62;app&#60;/i&#62;",
      "https://app.example.com",
      "<dd>app.example.com</dd>",
      world.person.email,
      "wil namens jou werken bij",
      "na 90 dagen zonder gebruik",
    ])
      expect(page.text).to.contain(part);
    expect(page.text).to.not.contain("<i>app");
    const english = await visit("GET", `${pathOf({})}&lang=en`, { cookie: world.cookie });
    expect(english.text)
      .to.contain("wants to act for you at")
      .and.to.contain("after 90 days without use")
      .and.to.contain("View clients");
  });

  it("lets nothing frame it, and its form end here or at the app alone", async () => {
    const { headers, text } = await show();
    expect(headers["content-security-policy"]).to.contain(
      "; form-action 'self' https://app.example.com; frame-ancestors 'none';",
    );
    expect([headers["x-frame-options"], headers["cache-control"]]).to.deep.equal(["DENY", "no-store"]);
    expect(text).to.not.match(/<script|<img|style="/);
    const local = await world.register({ redirect_uris: ["http://127.0.0.1/cb", "com.example.app:/cb"] });
    const policy = async (redirect_uri: string) =>
      (await show({ client_id: local.client_id, redirect_uri })).headers["content-security-policy"];
    expect(await policy("http://127.0.0.1:4567/cb")).to.contain("form-action 'self' http://127.0.0.1:4567;");
    expect(await policy("com.example.app:/cb")).to.contain("form-action 'self' com.example.app:;");
  });

  it("ticks reads beforehand, but for settings, members and keys, and everything only by hand", async () => {
    const owner = await world.as("owner");
    const all = boxes(await show({}, owner));
    expect(all).to.include({ yes: false, "companies.company.read": true, "time.entry.read:any": true });
    expect(all).to.include({ "members.member.read": false, "settings.system.read": false, "companies.company.write": false });
    expect(boxes(await show({ scope: "mcp:full" }, owner))).to.deep.equal(all);
    const reads = boxes(await show({ scope: "mcp:read" }, owner));
    expect("yes" in reads).to.equal(false);
    expect(Object.keys(reads).every((value) => /\.read(:any)?$/.test(value))).to.equal(true);
  });

  it("grants the ticked scopes, and everything if ticked", async () => {
    const own = proof();
    const ticked = back(
      await send(
        [
          ["decision", "allow"],
          ["scope", "companies.company.read"],
        ],
        {},
        world,
        own,
      ),
    );
    expect([ticked.get("iss"), ticked.get("state")]).to.deep.equal([world.origin, "s t"]);
    const redeemed = await world.redeem(client, { code: ticked.get("code") as string, verifier: own.verifier });
    expect(redeemed.body.scope).to.equal("companies.company.read");
    const whole = proof();
    const everything = back(
      await send(
        [
          ["decision", "allow"],
          ["full", "yes"],
          ["scope", "companies.company.read"],
        ],
        {},
        world,
        whole,
      ),
    );
    const { scope } = (await world.redeem(client, { code: everything.get("code") as string, verifier: whole.verifier })).body;
    expect(scope.split(" ")).to.include.members(["companies.company.read", "apikeys.personal.manage"]);
    const unasked = await send(
      [
        ["decision", "allow"],
        ["full", "yes"],
      ],
      { scope: "companies.company.read" },
    );
    expect(unasked.status, "a box that was not there").to.equal(422);
  });

  it("explains an invalid choice, and keeps the ticks", async () => {
    const page = await send([["decision", "allow"]]);
    expect([page.status, page.text.includes("Kies minstens één recht")]).to.deep.equal([422, true]);
    expect(Object.values(boxes(page)).some(Boolean), "nothing was ticked").to.equal(false);
    const more = await send([
      ["decision", "allow"],
      ["scope", "companies.company.read"],
      ["scope", "settings.roles.manage"],
    ]);
    expect([more.status, boxes(more)["companies.company.read"]]).to.deep.equal([403, true]);
  });

  it("informs the app of a refusal, with the issuer and its state", async () => {
    for (const form of [[["decision", "deny"]], [["scope", "companies.company.read"]]] as [string, string][][])
      expect([...back(await send(form))]).to.deep.equal([
        ["error", "access_denied"],
        ["iss", world.origin],
        ["state", "s t"],
      ]);
  });

  const downgrades: [what: string, members: Record<string, string | undefined>, error: string][] = [
    ["without a challenge", { code_challenge: undefined }, "invalid_request"],
    ["with the method plain", { code_challenge_method: "plain" }, "invalid_request"],
    ["without a method, which would mean plain", { code_challenge_method: undefined }, "invalid_request"],
    ["for a token", { response_type: "token" }, "unsupported_response_type"],
    ["for nothing", { response_type: undefined }, "unsupported_response_type"],
  ];
  for (const [what, members, error] of downgrades)
    it(`informs the app when it requests ${what}`, async () => {
      for (const answer of [
        await show(members),
        await send(
          [
            ["decision", "allow"],
            ["scope", "companies.company.read"],
          ],
          members,
        ),
      ])
        expect([...back(answer)]).to.deep.equal([
          ["error", error],
          ["iss", world.origin],
          ["state", "s t"],
        ]);
    });

  const untrusted: [what: string, members: Record<string, string | undefined>][] = [
    ["an unknown client", { client_id: "unknown" }],
    ["no client", { client_id: undefined }],
    ["another address", { redirect_uri: "https://evil.example/cb" }],
    ["an address with a user", { redirect_uri: "https://app.example.com@evil.example/callback" }],
    ["no address", { redirect_uri: undefined }],
    ["a resource of another address", { resource: "https://evil.example/mcp" }],
  ];
  for (const [what, members] of untrusted)
    it(`redirects nowhere for ${what}, for any choice`, async () => {
      const answers = [
        await show(members),
        await send([["decision", "deny"]], members),
        await send([["decision", "allow"]], { ...members, response_type: "x" }),
      ];
      for (const { status, headers, text } of answers) {
        expect([[400, 422].includes(status), headers.location]).to.deep.equal([true, undefined]);
        expect(text).to.contain('role="alert"').and.to.not.contain('href="https://evil').and.to.not.contain("<form");
      }
    });

  it("takes no form of another site, nor of a frame in one", async () => {
    const form: [string, string][] = [
      ["decision", "allow"],
      ["scope", "companies.company.read"],
    ];
    for (const headers of [{ Origin: "https://evil.example" }, { "Sec-Fetch-Site": "cross-site" }] as Record<string, string>[]) {
      const answer = await visit("POST", pathOf({}), { cookie: world.cookie, form, headers });
      expect([answer.status, answer.headers.location]).to.deep.equal([403, undefined]);
    }
  });

  it("offers nothing to a person who may not give, but the way back", async () => {
    const without = await world.as("member", ["companies.company.read"]);
    const page = await show({}, without);
    expect(boxes(page)).to.deep.equal({});
    expect(page.text).to.contain("Je rol staat niet toe").and.to.contain('value="deny"').and.to.not.contain('value="allow"');
    expect(
      (
        await send(
          [
            ["decision", "allow"],
            ["scope", "companies.company.read"],
          ],
          {},
          without,
        )
      ).status,
    ).to.equal(403);
    expect(back(await send([["decision", "deny"]], {}, without)).get("error")).to.equal("access_denied");
    const nothing = await show({ scope: "companies.company.delete" });
    expect(nothing.text).to.contain("De app vraagt om niets").and.to.not.contain('value="allow"');
  });

  it("asks a visitor whose session has ended to sign in", async () => {
    const person = await world.as("member");
    await visit("POST", "/logout", { cookie: person.cookie, form: {} });
    expect((await send([["decision", "allow"]], {}, person)).headers.location).to.match(/^\/login\?next=/);
  });
});
