import type { ServiceBroker } from "moleculer";

/** Milliseconds within which a probe is answered, whatever has become unreachable; proxies commonly wait one second. */
export const PROBE_BOUND = 450;

/** The answer of a node to the question whether it can serve. */
export interface Readiness {
  status: number;
  body?: object;
}

const UNKNOWN: Readiness = { status: 503, body: { status: "degraded" } };

/**
 * The first answer that says ready; without one, an answer that says it is not, or 503 when there is none in time.
 * @param bound milliseconds
 */
export function firstReady(answers: readonly Promise<Readiness>[], bound: number): Promise<Readiness> {
  return new Promise((resolve) => {
    let last = UNKNOWN;
    const timer = setTimeout(() => resolve(last), bound);
    const done = (answer: Readiness) => {
      clearTimeout(timer);
      resolve(answer);
    };
    const heard = answers.map((answer) =>
      answer.then(
        (given) => {
          last = given;
          if (given.status === 200) done(given);
        },
        () => {},
      ),
    );
    void Promise.all(heard).then(() => done(last));
  });
}

interface Endpoints {
  endpoints: readonly { id: string }[];
  localEndpoints: readonly unknown[];
}

/**
 * Asks whether the actors behind this gateway can serve: this node's own, else those of every other node in parallel. A node that was killed
 * is listed for three more seconds and never answers.
 * @param action name of the action that knows
 * @param params its parameters
 */
export function readiness(broker: ServiceBroker, action: string, params: object): Promise<Readiness> {
  const found = broker.registry.actions.get(action) as Endpoints | undefined;
  const nodes = !found || found.localEndpoints.length > 0 ? [broker.nodeID] : found.endpoints.map(({ id }) => id);
  const answers = nodes.map((nodeID) => broker.call<Readiness, object>(action, params, { nodeID, timeout: PROBE_BOUND }));
  return firstReady(answers, PROBE_BOUND);
}
