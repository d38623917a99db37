import { expect } from "chai";
import sinon from "sinon";
import { spacedReports } from "../../../core/jobs/spaced-reports.ts";

describe("reports of errors of the jobs' store", () => {
  let clock: sinon.SinonFakeTimers;
  beforeEach(() => {
    clock = sinon.useFakeTimers();
  });
  afterEach(() => clock.restore());

  it("have each message once in ten seconds, and another message at once", () => {
    const reported: string[] = [];
    const report = spacedReports(({ message }) => void reported.push(message));
    for (let time = 0; time < 100; time++) report(new Error("refused"));
    report(new Error("unavailable"));
    clock.tick(9_999);
    report(new Error("refused"));
    expect(reported).to.deep.equal(["refused", "unavailable"]);
    clock.tick(1);
    report(new Error("refused"));
    expect(reported).to.deep.equal(["refused", "unavailable", "refused"]);
  });
});
