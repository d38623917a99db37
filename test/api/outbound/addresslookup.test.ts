import { expect } from "chai";
import { type AddressDocument, AddressSimulator } from "../../simulators/address.ts";
import type { Fault } from "../../simulators/simulator.ts";
import { ended, endsBefore } from "../../support/effort.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";

const NONE = { suggestions: [] };
const document = (number: string, more: AddressDocument = {}): AddressDocument => ({
  straatnaam: "Oudegracht",
  huis_nlt: number,
  postcode: "3511AB",
  woonplaatsnaam: "Utrecht",
  ...more,
});
const suggestion = (number: string) => ({
  street: "Oudegracht",
  house_number: number,
  postal_code: "3511AB",
  city: "Utrecht",
  country: "NL",
});

describe("GET /addresslookup", () => {
  const provider = new AddressSimulator();
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    await provider.start();
    // One connection: a lookup that occupied it during its wait would block every other caller.
    service = await startService({ SERVICE_ADDRESS_API_URL: provider.baseUrl, SERVICE_DATABASE_POOL: "1" });
    tenant = await service.tenant();
  });
  beforeEach(() => provider.reset());
  afterEach(() => expect(provider.complaints).to.deep.equal([]));
  after(async () => {
    await service.stop();
    await provider.stop();
  });

  const look = (postalCode: string, houseNumber: string, caller = tenant.owner) =>
    caller.get(`/addresslookup?${new URLSearchParams({ postal_code: postalCode, house_number: houseNumber })}`);
  const numbers = async (houseNumber: string) =>
    (await look("3511AB", houseNumber)).body.suggestions.map((one: { house_number: string }) => one.house_number);

  it("suggests the register's entries", async () => {
    provider.register("3511AB", "112", document("112"));
    const { status, body } = await look("3511AB", "112");
    expect([status, body]).to.deep.equal([200, { suggestions: [suggestion("112")] }]);
  });

  it("asks as the provider's documentation says", async () => {
    await look(" 3511 ab ", " 112 bis-3 ");
    const [asked] = provider.received;
    expect(asked).to.deep.include({ method: "GET", path: "/bzk/locatieserver/search/v3_1/free", body: "" });
    expect(Object.fromEntries(asked?.query ?? [])).to.deep.equal({
      q: "postcode:3511AB and huisnummer:112",
      fq: "type:adres",
      fl: "straatnaam huis_nlt postcode woonplaatsnaam",
      rows: "5",
    });
    expect(provider.received).to.have.length(1);
  });

  const local: [postalCode: string, houseNumber: string][] = [
    ["0511AB", "1"],
    ["3511", "1"],
    ["3511A", "1"],
    ["3511ABC", "1"],
    ["3511  AB", "1"],
    ["3511A1", "1"],
    ["3511-AB", "1"],
    ["B-3000", "1"],
    ["٣٥١١AB", "1"],
    ["   ", "1"],
    ["3511AB", "a1"],
    ["3511AB", "-1"],
    ["3511AB", " "],
  ];
  for (const [postalCode, houseNumber] of local)
    it(`makes no call for '${postalCode}' and '${houseNumber}'`, async () => {
      const { status, body } = await look(postalCode, houseNumber);
      expect([status, body, provider.received.length]).to.deep.equal([200, NONE, 0]);
    });

  it("refuses a postal code or house number that is missing, empty or longer than 16 characters", async () => {
    expect(refusalOf(await tenant.owner.get("/addresslookup"))).to.deep.equal(
      invalidOn({ postal_code: "errors.required", house_number: "errors.required" }),
    );
    expect(refusalOf(await look("", "1"))).to.deep.equal(invalidOn({ postal_code: "errors.validation" }));
    expect(refusalOf(await look("3511AB", "1".repeat(17)))).to.deep.equal(invalidOn({ house_number: "errors.validation" }));
    expect((await look("3511AB", "1".repeat(16))).status).to.equal(200);
    expect((await look(" ".repeat(16), "1")).status).to.equal(200);
  });

  it("puts the typed number first, ignoring spaces and case, and keeps the order otherwise", async () => {
    provider.register("3511AB", "12", document("12"), document("12-2"), document("12 Bis"), document("12-3"), document("12A"));
    expect(await numbers("12 bis")).to.deep.equal(["12 Bis", "12", "12-2", "12-3", "12A"]);
    expect(await numbers("12 a")).to.deep.equal(["12A", "12", "12-2", "12 Bis", "12-3"]);
    expect(await numbers("12z")).to.deep.equal(["12", "12-2", "12 Bis", "12-3", "12A"]);
  });

  it("drops documents without street or city", async () => {
    provider.register(
      "3511AB",
      "1",
      document("1", { straatnaam: undefined }),
      document("1", { woonplaatsnaam: " " }),
      document("1", { straatnaam: 7 }),
      document("1a"),
    );
    expect(await numbers("1")).to.deep.equal(["1a"]);
  });

  it("gives five at most, also when the provider gives more", async () => {
    const docs = Array.from({ length: 7 }, (_, n) => document(`1-${n}`));
    provider.fail({ kind: "reply", status: 200, body: JSON.stringify({ response: { docs } }) });
    expect(await numbers("1")).to.have.length(5);
  });

  const elsewhere = () => ({ Location: `${provider.baseUrl}/free?q=elsewhere` });
  const failures: [what: string, fault: () => Fault][] = [
    ["cuts the connection", () => ({ kind: "drop" })],
    ["answers 429", () => ({ kind: "reply", status: 429, headers: { "Retry-After": "1" } })],
    ["answers 500", () => ({ kind: "reply", status: 500, body: "<h1>Oops</h1>" })],
    ["answers 404 with a proper body", () => ({ kind: "reply", status: 404, body: '{"response":{"docs":[]}}' })],
    ["redirects", () => ({ kind: "reply", status: 302, headers: elsewhere() })],
    ["answers what is no JSON", () => ({ kind: "reply", status: 200, body: "<html>" })],
    ["answers nothing", () => ({ kind: "reply", status: 200, body: "" })],
    ["answers JSON of another shape", () => ({ kind: "reply", status: 200, body: '{"error":1}' })],
    ["answers null", () => ({ kind: "reply", status: 200, body: "null" })],
    ["answers documents that are none", () => ({ kind: "reply", status: 200, body: '{"response":{"docs":{"a":1}}}' })],
    ["stops in the middle of its answer", () => ({ kind: "truncate" })],
    ["answers without end", () => ({ kind: "flood" })],
  ];
  for (const [what, fault] of failures)
    it(`answers without suggestions when the provider ${what}, and does not ask again`, async () => {
      provider.register("3511AB", "1", document("1"));
      provider.fail(fault());
      const { status, body } = await endsBefore(4000, look("3511AB", "1"));
      expect([status, body, provider.received.length]).to.deep.equal([200, NONE, 1]);
      expect(await numbers("1")).to.deep.equal(["1"]);
    });

  it("survives an invalid document among others", async () => {
    const docs = [null, 1, "x", document("1")];
    provider.fail({ kind: "reply", status: 200, body: JSON.stringify({ response: { docs } }) });
    expect(await numbers("1")).to.deep.equal(["1"]);
  });

  it("waits for a slow provider", async () => {
    provider.register("3511AB", "1", document("1"));
    provider.fail({ kind: "delay", ms: 300 }, { kind: "drip", ms: 10 });
    expect(await numbers("1")).to.deep.equal(["1"]);
    expect(await numbers("1")).to.deep.equal(["1"]);
  });

  it("waits 4 seconds in all, for a silent provider and for one that drips, and holds no connection meanwhile", async () => {
    provider.register("3511AB", "1", document("1"));
    provider.fail({ kind: "delay", ms: 8000 }, { kind: "drip", ms: 700 });
    const began = performance.now();
    const both = Promise.all([look("3511AB", "1"), look("3511AB", "1")]);
    const isOver = ended(both);
    const inTime = endsBefore(8000, both);
    while (provider.received.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await tenant.owner.get("/companies")).status).to.equal(200);
    expect((await tenant.owner.post("/companies", { name: "Meanwhile" })).status).to.equal(201);
    expect(isOver(), "other requests waited for the provider").to.equal(false);
    for (const { status, body } of await inTime) expect([status, body]).to.deep.equal([200, NONE]);
    expect(performance.now() - began).to.be.at.least(3900);
  });

  it("costs no statement but the one that proves the caller", async () => {
    await look("3511AB", "1");
    for (const postalCode of ["3511AB", "nowhere"]) expect((await look(postalCode, "1")).statements).to.equal(0);
  });

  it("is for administrators and members, not for clients", async () => {
    provider.register("3511AB", "1", document("1"));
    for (const [role, status] of [
      ["admin", 200],
      ["member", 200],
      ["client", 403],
    ] as const)
      expect((await look("3511AB", "1", await tenant.member(role))).status, role).to.equal(status);
    expect(provider.received).to.have.length(2);
  });

  it("asks nothing outside for a key that was revoked", async () => {
    const member = await tenant.member("member");
    expect((await look("3511AB", "1", member)).status).to.equal(200);
    await service.sql.query("update api_keys set revoked_at = now() where id = $1", [member.keyId]);
    expect((await look("3511AB", "1", member)).status).to.equal(401);
    expect(provider.received).to.have.length(1);
  });
});

describe("GET /addresslookup without a provider", () => {
  it("answers without suggestions when the provider is down", async () => {
    const provider = new AddressSimulator();
    await provider.start();
    const SERVICE_ADDRESS_API_URL = provider.baseUrl;
    await provider.stop();
    const service = await startService({ SERVICE_ADDRESS_API_URL });
    try {
      const { owner } = await service.tenant();
      const { status, body } = await owner.get("/addresslookup?postal_code=3511AB&house_number=1");
      expect([status, body]).to.deep.equal([200, NONE]);
    } finally {
      await service.stop();
    }
  });
});
