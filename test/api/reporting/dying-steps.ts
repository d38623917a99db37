import { RUN_STEPS, type RunStep } from "../../../services/reporting/runs/run-steps.ts";

const MOMENTS = ["middle", "end"];
/** Where a run can be broken off. In the middle: all is done that the step does outside, and its transaction has not committed. */
export const PLACES = RUN_STEPS.flatMap(([step]) => MOMENTS.map((moment) => `${step} ${moment}`));

/**
 * Breaks runs off at the place that the client's name of their report names.
 * @param die is called there, each time a run comes by
 * @returns what puts the steps back
 */
export function dieInSteps(die: (place: string) => void): () => void {
  const steps = RUN_STEPS as [string, RunStep][];
  const own = [...steps];
  for (const [at, [name, step]] of own.entries()) {
    const dying: RunStep = async (run, report) => {
      const dieAt = (place: string) => {
        if (report.company_name === place) die(place);
      };
      const write = <T>(work: () => Promise<T>) =>
        run.write(async () => {
          const result = await work();
          dieAt(`${name} middle`);
          return result;
        });
      // The run has getters, which a spread would freeze.
      await step(Object.create(run, { write: { value: write } }), report);
      dieAt(`${name} end`);
    };
    steps[at] = [name, dying];
  }
  return () => steps.splice(0, steps.length, ...own);
}
