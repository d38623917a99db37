import { expect } from "chai";
import { isBroken, isBusy, StaleAccess, translated } from "../../../core/database/connection/database.ts";
import type { ApiError } from "../../../core/errors/errors.ts";

const thrown = (message: string, code?: string) => Object.assign(new Error(message), code === undefined ? {} : { code });

describe("the meaning of a database error to a caller", () => {
  for (const [what, error] of [
    ["a lock that was not had in time", thrown("canceling statement due to lock timeout", "55P03")],
    ["a statement that took too long", thrown("canceling statement due to statement timeout", "57014")],
    ["too many connections", thrown("sorry, too many clients already", "53300")],
  ] as const)
    it(`is 503 with Retry-After for ${what}, and the connection stays in use`, () => {
      const known = translated(error) as ApiError;
      expect([known.code, known.type, known.data]).to.deep.equal([503, "unavailable", { headers: { "Retry-After": "1" } }]);
      expect([isBusy(known), isBroken(known)]).to.deep.equal([true, false]);
    });

  for (const error of [
    thrown("Connection terminated unexpectedly"),
    thrown("terminating connection", "57P01"),
    thrown("x", "08006"),
    ...["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "EPIPE"].map((code) =>
      thrown(`connect ${code} 10.0.0.1:5432`, code),
    ),
  ])
    it(`is 503 for a lost connection, which is not used again: ${error.message}`, () => {
      const known = translated(error) as ApiError;
      expect([known.code, isBusy(known), isBroken(known)]).to.deep.equal([503, false, true]);
    });

  it("is a reason to load the principal again when access has moved on", () => {
    expect(translated(thrown("access has changed", "KT001"))).to.be.instanceOf(StaleAccess);
  });

  it("stays unchanged otherwise", () => {
    const error = thrown("division by zero", "22012");
    expect(translated(error)).to.equal(error);
  });
});
