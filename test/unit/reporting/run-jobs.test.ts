import { expect } from "chai";
import type { JobDeclaration } from "../../../core/jobs/jobs.ts";
import runs from "../../../services/reporting/runs/run-jobs.service.ts";

describe('the jobs of reports (workspace-reporting §1.5 "Jobs")', () => {
  const { jobs } = runs as unknown as { jobs: Record<string, JobDeclaration & { module?: string; licenceExempt?: string }> };

  it("rest without the licence of reporting, except the sweep, and a run lasts 900 s at most", () => {
    expect(
      Object.entries(jobs).map(([name, { schedule = null, module = null, licenceExempt, timeout = null }]) => {
        return [name, schedule, module, licenceExempt !== undefined, timeout];
      }),
    ).to.have.deep.members([
      ["reporting.run", null, "reporting", false, 900_000],
      ["reporting.schedule", "5 * * * *", "reporting", false, null],
      ["reporting.sweep", "10,25,40,55 * * * *", null, true, null],
    ]);
  });
});
