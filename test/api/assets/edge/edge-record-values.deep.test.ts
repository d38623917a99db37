import { expect } from "chai";
import type { Tenant, TestService } from "../../../support/service.ts";
import { refusalOf } from "../../clients/companies/company-records.ts";
import { type Account, type EdgeWorld, startEdge } from "./edge-world.ts";

type Values = Record<string, unknown>;

describe("the sent form of a DNS record (assets §7, DNS)", () => {
  let world: EdgeWorld;
  let service: TestService;
  let tenant: Tenant;
  let account: Account;
  let zone: { id: string; edgeId: string };
  before(async () => {
    world = await startEdge();
    ({ service } = world);
  });
  beforeEach(async () => {
    world.provider.reset();
    tenant = await service.tenant();
    account = await world.account(tenant);
    zone = await world.zone(tenant, account, "a.example");
  });
  afterEach(() => expect(world.provider.complaints).to.deep.equal([]));
  after(() => world.stop());

  const path = (rest = "") => `/edge/zones/${zone.id}/dns${rest}`;
  const sent = (): Values => JSON.parse(world.provider.received.at(-1)?.body ?? "{}");
  const invalidOn = (field: string, why = "errors.validation") => [422, "validation", { [field]: why }];
  const lastError = async () => (await world.stored("edge_accounts", account.id))["last_error"];

  const WWW = { type: "A", name: "www.a.example", content: "192.0.2.1" };
  const proxied = () => world.provider.state.record(zone.edgeId, { ...WWW, type: "A", proxied: true, comment: "ours" });

  describe("a PATCH", () => {
    it("leaves a record in the proxy, and its TTL and comment as they are, when it changes the address alone", async () => {
      const { id } = proxied();
      const kept = world.provider.state.record(zone.edgeId, { type: "TXT", name: "t.a.example", content: '"x"', ttl: 3600 });
      const changed = await tenant.owner.patch(path(`/${id}`), { ...WWW, content: "192.0.2.9" });
      expect(changed.status).to.equal(200);
      expect(changed.body).to.include({ content: "192.0.2.9", proxied: true, ttl: 1, comment: "ours" });
      expect(sent()).to.deep.equal({ ...WWW, content: "192.0.2.9" });
      const text = await tenant.owner.patch(path(`/${kept.id}`), { type: "TXT", name: "t.a.example", content: '"y"' });
      expect(text.body).to.include({ content: '"y"', ttl: 3600 });
    });

    const single: [key: string, value: unknown, wanted: Values][] = [
      ["ttl", 300, { ttl: 300 }],
      ["proxied", false, { proxied: false }],
      ["priority", 5, {}],
      ["comment", "other", { comment: "other" }],
      ["comment", "", { comment: "" }],
      ["comment", null, { comment: "" }],
      ["data", null, {}],
    ];
    for (const [key, value, wanted] of single)
      it(`sends of ${key} = ${JSON.stringify(value)} ${JSON.stringify(wanted)}, and no other key`, async () => {
        const { id } = proxied();
        expect((await tenant.owner.patch(path(`/${id}`), { ...WWW, [key]: value })).status).to.equal(200);
        expect(sent()).to.deep.equal({ ...WWW, ...wanted });
      });

    it("takes the comment away with null", async () => {
      const { id } = proxied();
      expect((await tenant.owner.patch(path(`/${id}`), { ...WWW, comment: null })).body.comment).to.equal(null);
    });
  });

  for (const [type, content, priority] of [
    ["SRV", "10 5 5061 sip.a.example.", 10],
    ["URI", '7 1 "https://a.example/x"', 7],
  ] as const)
    it(`leaves the priority of an ${type} record as it is where a PATCH has type, name and content as read`, async () => {
      const name = "x.a.example";
      const { id } = (await tenant.owner.post(path(), { type, name, content })).body;
      const [listed] = (await tenant.owner.get(path())).body.records;
      expect([listed.priority, listed.content.startsWith(`${priority} `)]).to.deep.equal([priority, false]);
      for (const more of [{}, { priority: null }]) {
        const changed = await tenant.owner.patch(path(`/${id}`), { type, name, content: listed.content, ...more });
        expect([changed.status, changed.body], changed.text).to.deep.equal([200, listed]);
      }
      const other = await tenant.owner.patch(path(`/${id}`), { type, name, content: listed.content, priority: 3 });
      expect(other.body.priority, other.text).to.equal(3);
    });

  it("still needs a priority where the record had none", async () => {
    const { id } = proxied();
    const changed = await tenant.owner.patch(path(`/${id}`), { ...WWW, type: "SRV", content: "5 5061 sip.a.example" });
    expect(refusalOf(changed)).to.deep.equal(invalidOn("content"));
  });

  const HASH = "ab".repeat(32);
  /** Content in the form of a zone file, and the data built from it. */
  const examples: [type: string, content: string, data: Values, more?: Values][] = [
    ["CAA", '0 issue "letsencrypt.org"', { flags: 0, tag: "issue", value: "letsencrypt.org" }],
    ["CAA", '128 issue ";"', { flags: 128, tag: "issue", value: ";" }],
    ["CAA", String.raw`0 iodef "mailto:a\"b@a.example"`, { flags: 0, tag: "iodef", value: 'mailto:a"b@a.example' }],
    ["SRV", "10 5 5061 sip.a.example.", { priority: 10, weight: 5, port: 5061, target: "sip.a.example" }],
    ["SRV", "5 5061 grüße.example", { priority: 7, weight: 5, port: 5061, target: "xn--gre-6ka8l.example" }, { priority: 7 }],
    ["SRV", "0 0 0 .", { priority: 0, weight: 0, port: 0, target: "." }],
    ["TLSA", `3 1 1 ${HASH}`, { usage: 3, selector: 1, matching_type: 1, certificate: HASH }],
    ["TLSA", `3 1 1 ${HASH.slice(0, 32)} ${HASH.slice(32)}`, { usage: 3, selector: 1, matching_type: 1, certificate: HASH }],
    ["SMIMEA", `3 0 0 ${HASH}`, { usage: 3, selector: 0, matching_type: 0, certificate: HASH }],
    ["HTTPS", '1 . alpn="h3,h2" ipv4hint=192.0.2.1', { priority: 1, target: ".", value: 'alpn="h3,h2" ipv4hint=192.0.2.1' }],
    ["SVCB", "0 svc.a.example", { priority: 0, target: "svc.a.example", value: "" }],
    [
      "NAPTR",
      '100 10 "S" "SIP+D2U" "" _sip._udp.a.example.',
      { order: 100, preference: 10, flags: "S", service: "SIP+D2U", regex: "", replacement: "_sip._udp.a.example" },
    ],
    ["DS", `12345 13 2 ${HASH}`, { key_tag: 12345, algorithm: 13, digest_type: 2, digest: HASH }],
    ["DNSKEY", "257 3 13 AQID BA==", { flags: 257, protocol: 3, algorithm: 13, public_key: "AQIDBA==" }],
    ["SSHFP", `4 2 ${HASH}`, { algorithm: 4, type: 2, fingerprint: HASH }],
    ["CERT", "1 12345 8 AQID", { type: 1, key_tag: 12345, algorithm: 8, certificate: "AQID" }],
    ["URI", '10 1 "https://a.example/x"', { weight: 1, target: "https://a.example/x" }],
    [
      "LOC",
      "52 22 23.5 N 4 53 32 E -2.00m 1m",
      {
        ...{ lat_degrees: 52, lat_minutes: 22, lat_seconds: 23.5, lat_direction: "N" },
        ...{ long_degrees: 4, long_minutes: 53, long_seconds: 32, long_direction: "E" },
        ...{ altitude: -2, size: 1, precision_horz: 10_000, precision_vert: 10 },
      },
    ],
  ];
  for (const [type, content, data, more = {}] of examples)
    it(`sends ${type} ${content.slice(0, 40)} as data, and reads back the provider's form`, async () => {
      const name = "x.a.example";
      const made = await tenant.owner.post(path(), { type: type.toLowerCase(), name, content, ...more });
      expect([made.status, made.body.type], made.text).to.deep.equal([201, type]);
      const ofUri = type === "URI" ? { priority: 10 } : {};
      expect(sent()).to.deep.equal({ type, name, ttl: 1, data, ...ofUri });
      const [listed] = (await tenant.owner.get(path())).body.records;
      const { priority } = listed;
      const again = { type, name, content: listed.content, ...(priority !== null && { priority }) };
      const changed = await tenant.owner.patch(path(`/${listed.id}`), again);
      expect(changed.status, `${listed.content}: ${changed.text}`).to.equal(200);
      expect(sent()).to.deep.equal({ type, name, data, ...ofUri });
    });

  const unreadable: [type: string, content: string][] = [
    ["CAA", "0 issue"],
    ["CAA", '0 issue "open'],
    ["CAA", "256 issue x"],
    ["CAA", "0 issue a b"],
    ["SRV", "10 5 5061"],
    ["SRV", "10 5 65536 sip.a.example"],
    ["SRV", "10 5 5061 a..example"],
    ["TLSA", "3 1 1 abc"],
    ["TLSA", "3 1 1 xyz0"],
    ["HTTPS", "1"],
    ["HTTPS", '1 . alpn="h2'],
    ["NAPTR", '100 10 "S" "SIP+D2U" ""'],
    ["DS", "1 2 3"],
    ["DNSKEY", "257 3 13 ===="],
    ["URI", "10 1"],
    ["LOC", "91 N 4 E 0m"],
    ["LOC", "somewhere"],
    ["SSHFP", "4 2 ab (cd)"],
  ];
  for (const [type, content] of unreadable)
    it(`refuses ${type} ${content} before any call`, async () => {
      const answer = await tenant.owner.post(path(), { type, name: "x.a.example", content });
      expect(refusalOf(answer)).to.deep.equal(invalidOn("content"));
      expect(world.provider.received).to.deep.equal([]);
    });

  const CAA = { type: "CAA", name: "a.example", content: "as data" };
  it("sends the data of a body unchanged, whatever its content says", async () => {
    const data = { flags: 0, tag: "issue", value: "letsencrypt.org" };
    const { status, body } = await tenant.owner.post(path(), { ...CAA, data });
    expect([status, body.content]).to.deep.equal([201, '0 issue "letsencrypt.org"']);
    expect(sent()["data"]).to.deep.equal(data);
  });

  const mistaken: [what: string, body: Values, field: string][] = [
    ["data with a field that the type does not have", { ...CAA, data: { flag: 0 } }, "data"],
    ["data with a text for a number", { ...CAA, data: { flags: "0", tag: "issue", value: "x" } }, "data"],
    ["data for a type without", { ...WWW, data: { flags: 0 } }, "data"],
    [
      "a priority that contradicts the content",
      { ...WWW, type: "SRV", content: "10 5 5061 a.example", priority: 20 },
      "priority",
    ],
  ];
  for (const [what, body, field] of mistaken)
    it(`refuses ${what} before any call`, async () => {
      expect(refusalOf(await tenant.owner.post(path(), body))).to.deep.equal(invalidOn(field));
      expect(world.provider.received).to.deep.equal([]);
    });

  it("sends names in ASCII", async () => {
    const { body } = await tenant.owner.post(path(), { type: "CNAME", name: "grüße.a.example.", content: "bücher.example" });
    expect(sent()).to.include({ name: "xn--gre-6ka8l.a.example", content: "xn--bcher-kva.example" });
    expect(body.name).to.equal("xn--gre-6ka8l.a.example");
  });

  describe("a value that the provider refuses", () => {
    const refused: [what: string, body: Values, words: RegExp][] = [
      [
        "an address that is none",
        { content: "nonsense" },
        /^HTTP 400 \(code 1004\): DNS Validation Error; .*IPv4 address\. \(code 9005\)$/,
      ],
      ["a TTL of 2 seconds", { ttl: 2 }, /Invalid TTL\..*\(code 9021\)$/],
    ];
    for (const [what, values, words] of refused)
      it(`is 422 on content, with its error chain in last_error: ${what}`, async () => {
        expect(refusalOf(await tenant.owner.post(path(), { ...WWW, ...values }))).to.deep.equal(
          invalidOn("content", "errors.edge_record_invalid"),
        );
        expect(await lastError()).to.match(words);
        const { id } = world.provider.state.record(zone.edgeId, { ...WWW, type: "A", ttl: 300 });
        expect(refusalOf(await tenant.owner.patch(path(`/${id}`), { ...WWW, ...values }))).to.deep.equal(
          invalidOn("content", "errors.edge_record_invalid"),
        );
        expect(await world.stored("edge_accounts", account.id)).to.include({ status: "active" });
      });

    const answers: [what: string, status: number, errors: object[], wanted: unknown[]][] = [
      ["the cause without its wrapper", 400, [{ code: 9005, message: "no" }], invalidOn("content", "errors.edge_record_invalid")],
      [
        "a record that is there, in a chain",
        400,
        [{ code: 1004, message: "no", error_chain: [{ code: 81053, message: "there" }] }],
        [409, "edge_record_exists", null],
      ],
      [
        "a token that is refused, in a chain",
        400,
        [{ code: 1, message: "no", error_chain: [{ code: 2, message: "no", error_chain: [{ code: 6111, message: "token" }] }] }],
        [409, "edge_token_rejected", null],
      ],
      ["a code of something else", 400, [{ code: 7003, message: "no" }], [502, "edge_request_failed", null]],
    ];
    for (const [what, status, errors, wanted] of answers)
      it(`is distinguished from others by its codes: ${what}`, async () => {
        const body = JSON.stringify({ success: false, errors, messages: [], result: null });
        world.provider.failWhen(() => true, { kind: "reply", status, body });
        expect(refusalOf(await tenant.owner.post(path(), WWW))).to.deep.equal(wanted);
      });

    it("is not a value for records that are only read", async () => {
      const body = JSON.stringify({ success: false, errors: [{ code: 1004, message: "no" }], messages: [], result: null });
      world.provider.failWhen(() => true, { kind: "reply", status: 400, body });
      expect(refusalOf(await tenant.owner.get(path()))).to.deep.equal([502, "edge_request_failed", null]);
    });
  });

  it("shows and exports 10,000 records, 1,000 a request, and names the count of more", async () => {
    const add = (from: number, to: number) => {
      for (let n = from; n < to; n++)
        world.provider.state.record(zone.edgeId, { type: "TXT", name: `t${n}.a.example`, content: `"${n}"`, comment: "=1+1" });
    };
    add(0, 10_000);
    const { status, body } = await tenant.owner.get(path());
    expect([status, body.records.length]).to.deep.equal([200, 10_000]);
    expect(world.provider.calls()).to.deep.equal(
      Array.from({ length: 10 }, (_, n) => `GET /zones/${zone.edgeId}/dns_records?page=${n + 1}&per_page=1000`),
    );
    const { body: csv } = await tenant.owner.get(path("/export?format=csv"));
    expect(csv.content.split("\n")).to.have.length(10_002);
    expect(csv.content, "no formula").to.include(`,'=1+1\n`);
    add(10_000, 10_001);
    world.provider.received.length = 0;
    const refusal = await tenant.owner.get(path());
    expect([refusal.status, refusal.body.error.code, refusal.body.error.details]).to.deep.equal([
      502,
      "edge_request_failed",
      { rows: 10_001 },
    ]);
    expect(await lastError()).to.equal(`the list /zones/${zone.edgeId}/dns_records has 10001 rows, more than 10000`);
    expect(world.provider.received, "no page is read in vain").to.have.length(1);
  }).timeout(60_000);
});
