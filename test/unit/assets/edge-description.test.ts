import { expect } from "chai";
import { descriptionIn } from "../../simulators/description.ts";

const ZONE = "/client/v4/zones/0123";
const received = (method: string, path: string, body?: object, query = "") => ({
  method,
  path,
  query: new URLSearchParams(query),
  headers: {},
  body: body ? JSON.stringify(body) : "",
});
const RECORD = { type: "A", name: "a.example", content: "192.0.2.1", ttl: 1 };

/** The error in a request or an answer, as far as it names it; null if valid. */
const requests: [what: string, request: ReturnType<typeof received>, wrong: RegExp | null][] = [
  ["a list by pages", received("GET", `${ZONE}/dns_records`, undefined, "page=1&per_page=1000"), null],
  [
    "a page of zones that is too large",
    received("GET", "/client/v4/zones", undefined, "per_page=51"),
    /per_page=51 is not within 5 and 50/,
  ],
  ["a page that is no number", received("GET", "/client/v4/zones", undefined, "page=x"), /page=x is no whole number/],
  ["an unknown parameter", received("GET", "/client/v4/zones", undefined, "nam=a"), /query nam is not known/],
  ["a parameter twice", received("GET", "/client/v4/zones", undefined, "name=a&name=b"), /repeated/],
  ["a method that there is not", received("PUT", `${ZONE}/dns_records`), /no such operation/],
  ["a path beside the root", received("GET", "/zones"), /no such operation/],
  ["a body where none belongs", received("GET", ZONE, {}), /takes no body/],
  ["a record", received("POST", `${ZONE}/dns_records`, RECORD), null],
  [
    "a record without a name",
    received("POST", `${ZONE}/dns_records`, { ...RECORD, name: undefined }),
    /required property 'name'/,
  ],
  ["a change of one key", received("PATCH", `${ZONE}/dns_records/1`, { type: "A", content: "192.0.2.1" }), null],
  ["content where data belongs", received("POST", `${ZONE}/dns_records`, { ...RECORD, type: "CAA" }), /properties content/],
  [
    "data with a field of another type",
    received("POST", `${ZONE}/dns_records`, { ...RECORD, type: "CAA", data: { flag: 0 } }),
    /flag/,
  ],
  ["a priority that the type does not have", received("POST", `${ZONE}/dns_records`, { ...RECORD, priority: 1 }), /priority/],
  ["a comment that is null", received("POST", `${ZONE}/dns_records`, { ...RECORD, comment: null }), /comment must be string/],
  ["a type that there is not", received("POST", `${ZONE}/dns_records`, { ...RECORD, type: "X" }), /type/],
];

describe("the description of the edge provider", () => {
  const described = descriptionIn("cloudflare.v4.json");
  for (const [what, request, wrong] of requests)
    it(`${wrong ? "knows no" : "knows"} ${what}`, () => {
      const found = described.wrongInRequest(request).join("; ");
      if (wrong) expect(found).to.match(wrong);
      else expect(found).to.equal("");
    });

  it("knows the shape of answers and refusals", () => {
    const request = received("DELETE", `${ZONE}/dns_records/1`);
    const answer = { success: true, errors: [], messages: [], result: { id: "1" } };
    const wrong = (status: number, body: object) => described.wrongInReply(request, { status, body }).join("; ");
    expect(wrong(200, answer)).to.equal("");
    expect(wrong(201, answer)).to.match(/answers 200, not 201/);
    expect(wrong(200, { ...answer, result: { key: "1" } })).to.match(/key/);
    expect(wrong(200, { ...answer, success: false })).to.match(/success/);
    const refusal = {
      success: false,
      errors: [{ code: 1, message: "no", error_chain: [{ code: 2, message: "no" }] }],
      messages: [],
      result: null,
    };
    expect(wrong(400, refusal)).to.equal("");
    expect(wrong(400, { error: "no" })).to.match(/required property 'success'/);
  });
});
