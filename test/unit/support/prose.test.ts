import { expect } from "chai";
import { noteProse, requireNoProse } from "../../support/run/prose.ts";

const refusal = (details: object) => ({ error: { code: "upstream", message: "errors.upstream", details } });
const check = (status: number, body: unknown) => () => requireNoProse("GET", "/links", status, body);

describe("the words of a simulated provider", () => {
  before(() => {
    noteProse(403, { error: { code: 7, status: "PERMISSION_DENIED", message: "The caller does not have permission." } });
    noteProse(503, "<html>We are down for a moment.</html>");
    noteProse(200, { name: "A name of three words" });
  });

  it("are found in a refusal, wherever it has them", () => {
    const denied = refusal({ reason: "Google said: The caller does not have permission. Sorry." });
    expect(check(502, denied)).to.throw("GET /links answers 502 with words of a provider");
    expect(check(503, refusal({ page: "<html>We are down for a moment.</html>" }))).to.throw("We are down");
  });

  it("may be in an answer that is no refusal, and codes and names may be in a refusal", () => {
    expect(check(200, { last_error: "The caller does not have permission." })).not.to.throw();
    expect(check(502, refusal({ reason: "PERMISSION_DENIED", name: "A name of three words" }))).not.to.throw();
  });
});
