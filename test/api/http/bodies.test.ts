import http from "node:http";
import { expect } from "chai";
import { sharedService, startService, type Tenant, type TestService } from "../../support/service.ts";

const VALIDATION = { code: "validation", message: "errors.validation" };

describe("bodies", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_BODY_LIMIT: "65536" });
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const post = (body: unknown, headers: Record<string, string> = {}) => tenant.owner.post("/companies", body, { headers });
  const deep = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

  const unreadable: [string, () => string | Buffer][] = [
    ["no JSON", () => "{"],
    ["a trailing comma", () => '{"name": "x",}'],
    ["a second value", () => '{"name": "x"} {}'],
    ["a list", () => "[]"],
    ["a number", () => "7"],
    ["null", () => "null"],
    ["invalid UTF-8", () => Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["another character set", () => Buffer.from('{"name": "caf\u00e9"}', "latin1")],
    ["compressed bytes", () => Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])],
    ["ten thousand nested lists", () => `{"name": "x", "custom": {"a": ${deep(10_000, "[", "]")}}}`],
    ["ten thousand nested objects", () => `{"name": "x", "custom": {"a": ${deep(10_000, '{"a":', "}").replace("}", "1}")}}}`],
  ];
  for (const [name, body] of unreadable)
    it(`that are ${name} are 422 under \`_\``, async () => {
      const { status, body: answer } = await post(body(), { "Idempotency-Key": name });
      expect(status).to.equal(422);
      expect(answer).to.deep.equal({ error: { ...VALIDATION, fields: { _: "errors.validation" } } });
    });

  it("that are absent where one is needed are 422 `_: errors.required`", async () => {
    const { status, body } = await post(undefined);
    expect(status).to.equal(422);
    expect(body.error.fields).to.deep.equal({ _: "errors.required" });
  });

  it("with a byte order mark are read", async () => {
    expect((await post('\ufeff{"name": "Marked"}')).status).to.equal(201);
  });

  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "image/png", ""])
    it(`of type '${type}' are 415`, async () => {
      const { status, body } = await post('{"name": "x"}', { "Content-Type": type });
      expect(status).to.equal(415);
      expect(body.error).to.deep.equal({
        code: "unsupported_media_type",
        message: "errors.content_type",
        fields: { _: "errors.content_type" },
      });
    });

  for (const type of ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/merge-patch+json"])
    it(`of type '${type}' are read`, async () => {
      expect((await post('{"name": "x"}', { "Content-Type": type })).status).to.equal(201);
    });

  it("over the limit are 413, whether or not they say how long they are", async () => {
    const large = JSON.stringify({ name: "x", notes: "n".repeat(70_000) });
    const reported = await post(large);
    expect(reported.status).to.equal(413);
    expect(reported.body.error).to.deep.equal({
      code: "validation",
      message: "errors.upload_too_large",
      fields: { _: "errors.upload_too_large" },
    });
    const chunked = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const headers = { Host: tenant.host, "X-API-Key": tenant.owner.key, "Content-Type": "application/json" };
      const request = http.request(
        { port: service.port, host: "127.0.0.1", method: "POST", path: "/api/v1/companies", headers, agent: false },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (part) => (text += part));
          response.on("end", () => resolve({ status: response.statusCode, text }));
        },
      );
      request.on("error", reject);
      for (let part = 0; part < 10; part++) request.write("n".repeat(8192));
      request.end();
    });
    expect(chunked.status).to.equal(413);
    expect(JSON.parse(chunked.text).error.message).to.equal("errors.upload_too_large");
  });

  it("just under the limit are accepted", async () => {
    expect((await post({ name: "x", notes: "n".repeat(65_000) })).status).to.equal(201);
  });

  const unstorable: [string, unknown, string][] = [
    ["a NUL", { name: "a\u0000b" }, "name"],
    ["half a surrogate pair", '{"name": "a\\ud800b"}', "name"],
    ["a NUL in a custom value", { name: "x", custom: { field: "a\u0000" } }, "field"],
    ["a NUL in a key", { name: "x", custom: { "a\u0000": 1 } }, "custom"],
  ];
  for (const [name, body, field] of unstorable)
    it(`with ${name} are 422 on \`${field}\``, async () => {
      const { status, body: answer } = await post(body);
      expect(status).to.equal(422);
      expect(answer.error).to.deep.equal({ ...VALIDATION, fields: { [field]: "errors.validation" } });
    });

  it("keep every other character as typed", async () => {
    const name = "Zo\u00eb \ud83d\ude00 \u0130stanbul \u202eabc \\u0000 100% 'quoted' \"double\"";
    expect((await post({ name })).body.name).to.equal(name);
  });

  const fields: [string, unknown, Record<string, string>][] = [
    ["without a required field", {}, { name: "errors.required" }],
    ["with null in a required field", { name: null }, { name: "errors.validation" }],
    ["with an empty name", { name: "" }, { name: "errors.validation" }],
    ["with a wrong type", { name: 7 }, { name: "errors.validation" }],
    ["with a text that is too long", { name: "n".repeat(256) }, { name: "errors.validation" }],
    ["with a status that is none", { name: "x", status: "vip" }, { name: "", status: "errors.validation" }],
    ["with a bad e-mail", { name: "x", invoice_email: "nobody" }, { invoice_email: "errors.invalid_email" }],
    ["with a bad phone", { name: "x", phone: "12" }, { phone: "errors.invalid_phone" }],
    ["with a script for a link", { name: "x", website: " Java\tScript:alert(1)" }, { website: "errors.validation" }],
    ["with a data link", { name: "x", website: "data:text/html,x" }, { website: "errors.validation" }],
    ["with an id that is none", { name: "x", responsible_user_id: "me" }, { responsible_user_id: "errors.validation" }],
    ["with a wrong list element", { name: "x", assignees: ["me"] }, { "0": "errors.validation" }],
    ["with a wrong field in a list element", { name: "x", assignees: [{ user_id: "me" }] }, { user_id: "errors.validation" }],
    ["with a missing field in a list element", { name: "x", assignees: [{}] }, { user_id: "errors.required" }],
    [
      "with several mistakes",
      { name: 7, city: 8, website: "javascript:x", status: "vip" },
      { name: "errors.validation", city: "errors.validation", website: "errors.validation", status: "errors.validation" },
    ],
  ];
  for (const [name, body, wanted] of fields)
    it(`${name} are 422 with one key per field`, async () => {
      const { status, body: answer } = await post(body);
      expect(status).to.equal(422);
      const named = Object.fromEntries(Object.entries(wanted).filter(([, key]) => key !== ""));
      expect(answer.error).to.deep.equal({ ...VALIDATION, fields: named });
    });

  it("lengths count characters, not bytes or code units", async () => {
    expect((await post({ name: "\ud83d\ude00".repeat(255) })).status).to.equal(201);
    expect((await post({ name: "\ud83d\ude00".repeat(256) })).status).to.equal(422);
  });

  it("in a POST take null on an optional field as omitted", async () => {
    const { status, body } = await post({ name: "Nulls", status: null, assignees: null, custom: null, city: null });
    expect(status).to.equal(201);
    expect(body).to.deep.include({ status: "active", assignees: [], custom: {}, city: null });
  });

  it("in a PATCH leave absent fields, clear null ones, and refuse null for required ones", async () => {
    const { id } = await tenant.company({ name: "Kept", city: "Delft", status: "lead", website: "kept.nl" });
    const patch = (body: unknown) => tenant.owner.patch(`/companies/${id}`, body);
    const cleared = await patch({ city: null });
    expect(cleared.body).to.deep.include({ name: "Kept", city: null, status: "lead", website: "kept.nl" });
    const refused = await patch({ name: null, status: null });
    expect(refused.status).to.equal(422);
    expect(refused.body.error.fields).to.deep.equal({ name: "errors.validation", status: "errors.validation" });
    expect((await patch({})).body).to.deep.equal(cleared.body);
  });

  it("lose unknown keys without a word", async () => {
    const { status, body } = await post({ name: "Extra", nonsense: true, hours: 3, __proto__: { admin: true } });
    expect(status).to.equal(201);
    expect(body).not.to.have.property("nonsense");
    expect((await post('{"name": "Proto", "__proto__": {"name": 1}, "constructor": 1}')).status).to.equal(201);
  });

  it("store a blank optional text as null", async () => {
    expect((await post({ name: "Blank", city: "  ", legal_name: "" })).body).to.deep.include({ city: null, legal_name: null });
  });

  it("keep bare hosts, mailto: and tel: as links", async () => {
    for (const website of ["example.nl", "mailto:a@b.nl", "tel:+31612345678", "https://example.nl/javascript:"])
      expect((await post({ name: "Link", website })).body.website).to.equal(website);
  });

  it("store e-mail in lower case and phones in E.164, national ones read in the country of the row", async () => {
    const dutch = await post({ name: "NL", invoice_email: "Info@Example.NL", phone: "06 12345678" });
    expect(dutch.body).to.deep.include({ invoice_email: "info@example.nl", phone: "+31612345678" });
    const belgian = await post({ name: "BE", country: "BE", phone: "0470 12 34 56" });
    expect(belgian.body.phone).to.equal("+32470123456");
  });

  it("of path, query and body are reported together", async () => {
    const answer = await tenant.owner.patch("/companies/not-an-id", { name: 7, city: 8 });
    expect(answer.status).to.equal(422);
    expect(answer.body.error.fields).to.deep.equal({
      company_id: "errors.validation",
      name: "errors.validation",
      city: "errors.validation",
    });
  });
});

describe("path and query", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    await tenant.company({ name: "Only" });
  });
  after(() => service.stop());

  for (const id of ["not-an-id", "1", "%20", "00000000-0000-0000-0000-00000000000g", "x".repeat(3000)])
    it(`invalid ids are 422 on the parameter: ${id.slice(0, 40)}`, async () => {
      const { status, body } = await tenant.owner.get(`/companies/${id}`);
      expect(status).to.equal(422);
      expect(body.error).to.deep.equal({ ...VALIDATION, fields: { company_id: "errors.validation" } });
    });

  const wrong: [string, string][] = [
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["limit=-1", "limit"],
    ["limit=1.5", "limit"],
    ["limit=ten", "limit"],
    ["limit=", "limit"],
    ["limit=99999999999999999999", "limit"],
    ["offset=-1", "offset"],
    ["offset=9007199254740993000", "offset"],
    ["count=maybe", "count"],
    ["count=", "count"],
    ["mine=constructor", "mine"],
    ["updated_since=yesterday", "updated_since"],
    ["updated_since=2024-02-30T00:00:00Z", "updated_since"],
    ["updated_since=2024-01-01T25:00:00Z", "updated_since"],
    ["q=%00", "q"],
    [`q=${"q".repeat(201)}`, "q"],
  ];
  for (const [query, field] of wrong)
    it(`a parameter outside its range is 422, not clamped: ${query.slice(0, 40)}`, async () => {
      const { status, body } = await tenant.owner.get(`/companies?${query}`);
      expect(status).to.equal(422);
      expect(body.error).to.deep.equal({ ...VALIDATION, fields: { [field]: "errors.validation" } });
    });

  it("an unknown one of a list is 422 with the nearest known name, together with other errors", async () => {
    const { status, body } = await tenant.owner.get("/companies?staus=active&Limit=3&%5B%5D=2&constructor=4&limit=0");
    expect(status).to.equal(422);
    const unknown = Object.fromEntries(["staus", "Limit", "[]", "constructor"].map((name) => [name, "errors.unknown_parameter"]));
    expect(body.error.fields).to.deep.equal({ limit: "errors.validation", ...unknown });
    expect(body.error.details).to.include({ staus: "status", Limit: "limit" });
    expect(body.error.details).to.have.all.keys("staus", "Limit", "[]", "constructor");
  });

  it("unknown ones are named up to a bound, and one without end has no neighbour", async () => {
    const many = Array.from({ length: 50 }, (_, at) => `x${at}=1`).join("&");
    const { body } = await tenant.owner.get(`/companies?${many}`);
    expect([Object.keys(body.error.fields).length, Object.keys(body.error.details).length]).to.deep.equal([20, 20]);
    const long = await tenant.owner.get(`/companies?${"x".repeat(8000)}=1`);
    expect([long.status, long.body.error.details]).to.deep.equal([422, undefined]);
  });

  it("an unknown one of a single record is ignored", async () => {
    const { id } = await tenant.company({ name: "Alone" });
    expect((await tenant.owner.get(`/companies/${id}?staus=1`)).status).to.equal(200);
    await tenant.owner.delete(`/companies/${id}`);
  });

  it("several wrong parameters are reported at once", async () => {
    const { body } = await tenant.owner.get("/companies?limit=0&offset=-1&count=x");
    expect(Object.keys(body.error.fields).sort()).to.deep.equal(["count", "limit", "offset"]);
  });

  for (const query of [
    "limit=1&limit=2",
    "_=1732550000&__proto__=3",
    "q=%F0%9F%98%80",
    "q=%ZZ",
    "q=+only+",
    "updated_since=2020-01-01T00:00:00",
    "updated_since=2020-01-01T00:00:00%2B02:00",
    "updated_since=2020-01-01T00:00:00+02:00",
    "updated_since=9999-12-31T23:59:59Z",
    "count=FALSE",
    "&&&",
    `_unknown=${"x".repeat(8000)}`,
  ])
    it(`is read for any input: ${query.slice(0, 40)}`, async () => {
      const { status, body } = await tenant.owner.get(`/companies?${query}`);
      expect(status).to.equal(200);
      expect(body).to.have.all.keys("items", "total", "limit", "offset", "next_cursor");
    });
});
