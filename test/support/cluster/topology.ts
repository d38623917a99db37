/**
 * Where the API tests find the service: in their own process, or in a cluster of two gateways and two workers over NATS, as `deploy` runs
 * it. `TEST_TOPOLOGY=cluster npm test -- FILES` chooses the cluster.
 */
export type Topology = "one" | "cluster";

/** The topology of this run. */
export const topology = (): Topology => (process.env["TEST_TOPOLOGY"] === "cluster" ? "cluster" : "one");

/** Why tests need the service in their own process. */
export type Reason =
  | "looks inside the node"
  | "counts the process's statements"
  | "reads the log of the process"
  | "stops the node"
  | "replaces functions of the process"
  | "changes actors while the node runs";

const reasons = new Set<Reason>();

type Test = (this: Mocha.Context) => unknown;

/** Marks a test file, as its first statement, whose tests need the service in their own process: a run on a cluster leaves the file out. */
export function oneProcess(reason: Reason): void;
/** Marks one test of a file, `it("…", oneProcess("…", () => …))`: a run on a cluster leaves the test out. */
export function oneProcess(reason: Reason, test: Test): Test;
export function oneProcess(reason: Reason, test?: Test): Test | undefined {
  if (!test) return void reasons.add(reason);
  if (topology() === "one") return test;
  return function () {
    this.skip();
  };
}

/** The reasons that the file loaded last gave for needing one process, since the last call. */
export function takeReasons(): Reason[] {
  const taken = [...reasons];
  reasons.clear();
  return taken;
}
