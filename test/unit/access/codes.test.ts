import { expect } from "chai";
import {
  maskedPhone,
  newBackupCodes,
  plainBackupCode,
  plainPhone,
  totpStep,
} from "../../../services/access/second-factor/codes.ts";
import { failuresAfter, lockedUntil } from "../../../services/access/second-factor/two-factors.ts";
import { totp } from "../../support/totp.ts";

/** The secret of RFC 6238, appendix B: "12345678901234567890". */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("one-time codes", () => {
  // RFC 6238 gives eight digits; six-digit codes are their last six.
  for (const [at, code] of [
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
  ] as const)
    it(`takes ${code} at ${at}, as RFC 6238 says`, () => {
      expect(totpStep(SECRET, code, 0, at)).to.equal(Math.floor(at / 30));
      expect(totp(SECRET, 0, at * 1000)).to.equal(code);
    });

  const NOW = 1_700_000_010;
  const STEP = Math.floor(NOW / 30);
  for (const [steps, passes] of [
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ] as const)
    it(`${passes ? "takes" : "refuses"} a code of ${steps} steps away, at either end of a step`, () => {
      for (const at of [STEP * 30, STEP * 30 + 29])
        expect(totpStep(SECRET, totp(SECRET, steps, at * 1000), 0, at)).to.equal(passes ? STEP + steps : null);
    });

  it("refuses a step at or before the last accepted one", () => {
    const code = (steps: number) => totp(SECRET, steps, NOW * 1000);
    expect(totpStep(SECRET, code(0), STEP, NOW)).to.equal(null);
    expect(totpStep(SECRET, code(-1), STEP, NOW)).to.equal(null);
    expect(totpStep(SECRET, code(1), STEP, NOW)).to.equal(STEP + 1);
  });

  it("accepts a code with a space in it and no invalid code", () => {
    const code = totp(SECRET, 0, NOW * 1000);
    expect(totpStep(SECRET, `${code.slice(0, 3)} ${code.slice(3)}`, 0, NOW)).to.equal(STEP);
    for (const typed of ["", "12345", "1234567", "abcdef", "١٢٣٤٥٦"]) expect(totpStep(SECRET, typed, 0, NOW)).to.equal(null);
  });

  it("makes ten different backup codes, compared without case, dashes and spaces", () => {
    const codes = newBackupCodes();
    expect(new Set(codes).size).to.equal(10);
    for (const code of codes) expect(code).to.match(/^[0-9a-f]{5}-[0-9a-f]{5}$/);
    expect(plainBackupCode(" AbCdE-12345 ")).to.equal("abcde12345");
    expect(plainBackupCode("ab cde 12345")).to.equal("abcde12345");
  });

  for (const [typed, phone] of [
    ["+31 6 1234 5678", "+31612345678"],
    ["+1234567", "+1234567"],
    ["+123456", null],
    ["0612345678", null],
    ["+3161234567890123", null],
    ["+31-612345678", null],
  ] as const)
    it(`reads '${typed}' as ${phone}`, () => expect(plainPhone(typed)).to.equal(phone));

  it("masks all but the first and last three characters", () => {
    expect(maskedPhone("+31612345678")).to.equal("+31••••••678");
    expect(maskedPhone("+1234567")).to.equal("+12••567");
  });
});

describe("the lock of a second factor", () => {
  const at = (minutes: number) => Date.parse("2026-03-02T10:00:00Z") + minutes * 60_000;
  const failed = (failures: number) => ({ failures, last_failure_at: "2026-03-02T10:00:00Z" });
  for (const [what, factor, now, locked] of [
    ["seven failures", failed(7), at(0), false],
    ["eight failures", failed(8), at(0), true],
    ["eight failures, 14:59 later", failed(8), at(15) - 1000, true],
    ["eight failures, 15 minutes later", failed(8), at(15), false],
    ["none", { failures: 0, last_failure_at: null }, at(0), false],
  ] as const)
    it(`${locked ? "holds" : "does not hold"} after ${what}`, () => expect(lockedUntil(factor, now) !== null).to.equal(locked));

  it("counts from one again when it is over", () => {
    expect(failuresAfter(failed(3))).to.equal(4);
    expect(failuresAfter(failed(8))).to.equal(1);
  });
});
