import { expect } from "chai";
import { type Attempt, mayRepeatInRequest, retryAfterSeconds, waitInJob } from "../../../core/outbound/provider/retry.ts";
import { redact } from "../../../core/outbound/redact.ts";

const attempt = (more: Partial<Attempt> = {}): Attempt => ({
  effect: "read",
  isKeyed: false,
  status: null,
  isTimeout: false,
  number: 1,
  retryAfter: null,
  ...more,
});

describe("a failed call is repeated (assets §5.4)", () => {
  const inRequest: [what: string, failed: Partial<Attempt>, again: boolean][] = [
    ["a read that was not answered", {}, true],
    ["a read answered 500", { status: 500 }, true],
    ["a read answered 502", { status: 502 }, true],
    ["a read answered 503", { status: 503 }, true],
    ["a read answered 504", { status: 504 }, true],
    ["a read answered 501", { status: 501 }, false],
    ["a read answered 429", { status: 429 }, false],
    ["a read that failed twice", { number: 2 }, false],
    ["a read that took too long", { isTimeout: true }, false],
    ["a read whose provider asks to wait", { status: 503, retryAfter: 1 }, false],
    ["a write that is idempotent by nature", { effect: "idempotent", status: 502 }, true],
    ["a create", { effect: "create", status: 502 }, false],
    ["a create that was not answered", { effect: "create" }, false],
    ["a create under an idempotency key", { effect: "create", isKeyed: true }, true],
  ];
  for (const [what, failed, again] of inRequest)
    it(`inside a request: ${what}: ${again ? "once, at once" : "not"}`, () => {
      expect(mayRepeatInRequest(attempt(failed))).to.equal(again);
    });

  const inJob: [what: string, failed: Partial<Attempt>, wait: number | null][] = [
    ["a read that was not answered", {}, 1000],
    ["a read that took too long", { isTimeout: true }, 1000],
    ["the second failure of a read", { number: 2, status: 500 }, 2000],
    ["the third failure of a read", { number: 3, status: 500 }, 4000],
    ["the fourth failure of a read", { number: 4, status: 500 }, 8000],
    ["the fifth failure of a read", { number: 5, status: 500 }, null],
    ["a read answered 429", { status: 429 }, 1000],
    ["a read answered 429 with Retry-After 7", { status: 429, retryAfter: 7 }, 7000],
    ["a read answered 503 with Retry-After 60", { status: 503, retryAfter: 60 }, 60_000],
    ["a read answered 429 with Retry-After 61", { status: 429, retryAfter: 61 }, null],
    ["a read answered 501", { status: 501 }, null],
    ["a write that is idempotent by nature", { effect: "idempotent", status: 503 }, 1000],
    ["a create", { effect: "create", status: 503 }, null],
    ["a create answered 429", { effect: "create", status: 429 }, null],
    ["a create under an idempotency key answered 429", { effect: "create", isKeyed: true, status: 429, retryAfter: 2 }, 2000],
  ];
  for (const [what, failed, wait] of inJob)
    it(`inside a job: ${what}: ${wait === null ? "not" : `after ${wait} ms at most, or the requested time`}`, () => {
      expect(waitInJob(attempt(failed), 1)).to.equal(wait);
    });

  it("inside a job after a wait that is spread, and never shorter than the provider asked for", () => {
    expect(waitInJob(attempt(), 0)).to.equal(500);
    expect(waitInJob(attempt(), 0.5)).to.equal(750);
    expect(waitInJob(attempt({ retryAfter: 3, status: 503 }), 0)).to.equal(3000);
  });
});

describe("Retry-After", () => {
  const now = Date.UTC(2026, 10, 21, 12, 0, 0);
  const cases: [header: string | undefined, seconds: number | null][] = [
    ["0", 0],
    ["60", 60],
    [" 7 ", 7],
    ["Sat, 21 Nov 2026 12:00:30 GMT", 30],
    ["Saturday, 21-Nov-26 12:00:30 GMT", 30],
    ["Sat Nov 21 12:00:30 2026 GMT", 30],
    ["Sat, 21 Nov 2026 11:00:00 GMT", 0],
    [undefined, null],
    ["", null],
    ["soon", null],
    ["-1", null],
    ["1.5", null],
    ["2026-11-21", null],
    ["99999999999999", null],
  ];
  for (const [header, seconds] of cases)
    it(`'${header}' is ${seconds}`, () => {
      expect(retryAfterSeconds(header, now)).to.equal(seconds);
    });
});

describe("a provider's text as stored", () => {
  const cases: [what: string, text: string, kept: string][] = [
    ["keeps plain words", "Invalid zone (code 1003)", "Invalid zone (code 1003)"],
    ["is one line", "a\r\n\tb\u0000c", "a b c"],
    ["loses query strings", "GET https://api.example/x?apiuser=a&b=c failed", "GET https://api.example/x?*** failed"],
    ["loses credentials in addresses", "at smtp://me:pw@mail.example:25", "at smtp://***@mail.example:25"],
    ["loses bearer tokens", "Authorization: Bearer abcdef123456", "Authorization: ***"],
    ["loses parameters that name a secret", "apipassword=hunter2&sld=x", "apipassword=***&sld=x"],
    ["loses JSON fields that name a secret", '{"client_secret":"s3cr3t","a":1}', '{"client_secret":***,"a":1}'],
    ["loses keys after a colon", "api_key: 12345 is wrong", "api_key: *** is wrong"],
  ];
  for (const [what, text, kept] of cases)
    it(what, () => {
      expect(redact(text)).to.equal(kept);
    });

  it("loses the given secrets, plain, percent-encoded and in base64", () => {
    const secret = "p@ss/word+1";
    const text = `said ${secret}, ${encodeURIComponent(secret)} and ${Buffer.from(secret).toString("base64")}`;
    expect(redact(text, [secret])).to.equal("said ***, *** and ***");
  });

  it("has 500 characters at most", () => {
    expect(redact("x".repeat(600))).to.match(/^x{499}…$/);
    expect(redact("x".repeat(500))).to.have.length(500);
    expect(redact(`${"x".repeat(498)}\u{1f600}xx`)).to.equal(`${"x".repeat(498)}…`);
    expect(redact("a\ud800b")).to.equal("a\ufffdb");
  });
});
