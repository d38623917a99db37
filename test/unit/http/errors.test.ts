import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { errorCatalogue } from "../../../core/declare/catalogue/catalogue.ts";
import {
  conflict,
  forbidden,
  invalid,
  isApiError,
  notFound,
  type RefusalParts,
  refusal,
  unauthorized,
} from "../../../core/errors/errors.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const sources = globSync("{core,mixins,services,integrations,operator}/**/*.ts", { cwd: ROOT }).map((file) => ({
  file,
  text: readFileSync(path.join(ROOT, file), "utf8"),
}));

describe("the error catalogue", () => {
  it("has each pair of code and message once per status, which is that of a refusal or of a move", () => {
    const pairs = errorCatalogue().map(({ code, status, message }) => `${status} ${code} ${message}`);
    const again = pairs.filter((pair, index) => pairs.indexOf(pair) !== index);
    expect(again).to.deep.equal([]);
    for (const { code, status, message } of errorCatalogue()) {
      if (status !== 308) expect(status, code).to.be.within(400, 599);
      expect(code).to.match(/^[a-z0-9_]+$/);
      expect(message).to.match(/^[a-z0-9_]+(\.[a-z0-9_]+)+$/);
    }
  });

  const always: [string, number, string][] = [
    ["invalid_sort", 400, "errors.invalid_sort"],
    ["unauthorized", 401, "errors.unauthorized"],
    ["license_expired", 402, "errors.license_expired"],
    ["plan_inactive", 402, "errors.plan_inactive"],
    ["forbidden", 403, "errors.forbidden"],
    ["org_suspended", 403, "errors.org_suspended"],
    ["not_found", 404, "errors.not_found"],
    ["unknown_host", 404, "errors.unknown_host"],
    ["method_not_allowed", 405, "errors.server"],
    ["conflict", 409, "errors.conflict"],
    ["idempotency_conflict", 409, "errors.idempotency_conflict"],
    ["idempotency_in_progress", 409, "errors.idempotency_in_progress"],
    ["precondition_failed", 412, "errors.precondition_failed"],
    ["validation", 413, "errors.upload_too_large"],
    ["validation", 422, "errors.validation"],
    ["rate_limited", 429, "errors.rate_limited"],
    ["server_error", 500, "errors.server"],
    ["unavailable", 503, "errors.unavailable"],
  ];
  for (const [code, status, message] of always)
    it(`answers ${code} / ${message} with ${status} (conventions §8)`, () => {
      const error = refusal(code, message);
      expect([error.code, error.type, error.message]).to.deep.equal([status, code, message]);
    });

  it("tells with every 503 when to repeat the call, in five seconds or as the refusal says", () => {
    const busy = errorCatalogue().filter(({ status }) => status === 503);
    expect(busy.length).to.be.above(0);
    const waitOf = (error: ReturnType<typeof refusal>) => (error.data as RefusalParts).headers?.["Retry-After"];
    for (const { code, message } of busy) expect(waitOf(refusal(code, message)), code).to.equal("5");
    expect(waitOf(refusal("unavailable", undefined, { headers: { "Retry-After": "60" } }))).to.equal("60");
    expect(waitOf(notFound())).to.equal(undefined);
  });

  it("has an entry for every refusal the code can make", () => {
    const known = new Set(errorCatalogue().map(({ code, message }) => `${code} ${message}`));
    const codes = new Set(errorCatalogue().map(({ code }) => code));
    let looked = 0;
    const demand = (found: boolean, what: string, file: string) => {
      looked += 1;
      expect(found, `${what} in ${file}`).to.equal(true);
    };
    for (const { file, text } of sources) {
      for (const [, code, message] of text.matchAll(/\brefusal\(\s*"([a-z0-9_]+)"(?:,\s*"([a-z0-9_.]+)")?/g))
        demand(
          message === undefined ? codes.has(code as string) : known.has(`${code} ${message}`),
          `${code} ${message ?? ""}`,
          file,
        );
      for (const [, code, message] of text.matchAll(/\b(forbidden|conflict)\(\s*"([a-z0-9_.]+)"/g))
        demand(known.has(`${code} ${message}`), `${code} ${message}`, file);
      for (const [, list] of text.matchAll(/\berrors: \[([^\]]*)\]/g))
        for (const [, code] of (list as string).matchAll(/"([a-z0-9_]+)"/g))
          demand(codes.has(code as string), code as string, file);
    }
    expect(looked).to.be.greaterThan(30);
  });

  it("means one status where a code is used without message", () => {
    for (const { file, text } of sources)
      for (const [, code] of text.matchAll(/\brefusal\(\s*"([a-z0-9_]+)"(?:\)|,\s*(?![\s"]))/g)) {
        const statuses = new Set(errorCatalogue().flatMap((entry) => (entry.code === code ? [entry.status] : [])));
        if (code !== "validation" && code !== "plan_inactive") expect([...statuses], `${code} in ${file}`).to.have.length(1);
      }
  });
});

describe("a refusal", () => {
  it("missing in the catalogue is a programming error", () => {
    expect(() => refusal("nonsense")).to.throw(TypeError, "nonsense");
    expect(() => refusal("conflict", "errors.nonsense")).to.throw(TypeError, "errors.nonsense");
  });

  it("without message is the first entry of its code", () => {
    expect(refusal("plan_inactive").code).to.equal(402);
    expect(refusal("login_bad_credentials").message).to.equal("errors.validation");
  });

  it("carries fields, facts and headers", () => {
    const parts = { fields: { name: "errors.required" }, details: { limit: 3 }, headers: { "Retry-After": "1" } };
    expect(refusal("validation", "errors.validation", parts).data).to.deep.equal(parts);
    expect(invalid({ name: "errors.required" }).data).to.deep.equal({ fields: { name: "errors.required" } });
    expect(conflict("errors.conflict", "name").data).to.deep.equal({ fields: { name: "errors.conflict" } });
    expect(conflict().data).to.deep.equal({});
  });

  it("is known as one, other errors are not", () => {
    for (const error of [unauthorized(), forbidden(), notFound()]) expect(isApiError(error)).to.equal(true);
    for (const error of [new Error("x"), null, "x", { name: "ApiError" }]) expect(isApiError(error)).to.equal(false);
  });
});
