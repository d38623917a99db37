import { expect } from "chai";
import { EXCEPTED } from "../../support/run/excepted.ts";
import { noteAnswer, takeSeen } from "../../support/run/seen.ts";
import { declared, unproduced } from "../../support/run/unproduced.ts";

describe("required results of the whole suite", () => {
  it("is every event, mail, text message, error and warning that a built module declares", () => {
    const all = declared();
    expect(all).to.include.members([
      "event company.created",
      "event contact.updated",
      "mail webhook-disabled",
      "sms second_factor",
      "error 404 not_found errors.not_found",
      "warning no_account_id",
    ]);
    expect(all.length).to.be.greaterThan(300);
    expect(new Set(all).size).to.equal(all.length);
  });

  it("stops the run if no test produces it without a reason, or if a reason is no longer needed", () => {
    const all = ["event a.b", "error 409 conflict errors.c", "mail d"];
    const reason = { "mail d": "only a fault inside makes one" };
    expect(unproduced(new Set(all), all, {})).to.deep.equal([]);
    const ofOauth = new Set(["event a.b", "error 409 * errors.c", "mail d"]);
    expect(unproduced(ofOauth, all, {}), "OAuth names codes of its own").to.deep.equal([]);
    expect(unproduced(new Set(["event a.b"]), all, reason)).to.deep.equal(["no test produces: error 409 conflict errors.c"]);
    expect(unproduced(new Set(all), all, { ...reason, "mail e": "gone" })).to.deep.equal([
      "excepted, and declared by no module that is built: mail e",
    ]);
  });

  it("has reasons for declared-only ones, each of a sentence", () => {
    const all = new Set(declared());
    for (const [what, reason] of Object.entries(EXCEPTED)) {
      expect(all, what).to.include(what);
      expect(reason.split(" ").length, what).to.be.greaterThan(4);
    }
  });

  it("is noted from answers: code and message, fields with their keys, OAuth's own shape, and warnings", () => {
    takeSeen();
    const error = { code: "proof", message: "errors.proof", fields: { name: "errors.proof_field" } };
    noteAnswer(422, { error });
    noteAnswer(422, { error });
    noteAnswer(400, { error: "proof_grant", error_description: "errors.proof_grant" });
    noteAnswer(200, { warnings: ["proof_warning"], error: { code: "none", message: "errors.none" } });
    noteAnswer(204, undefined);
    noteAnswer(500, "no object");
    expect(takeSeen()).to.deep.equal([
      "error 422 proof errors.proof",
      "error 422 proof errors.proof_field",
      "error 400 * errors.proof_grant",
      "warning proof_warning",
    ]);
  });
});
