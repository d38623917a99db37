import type { ServiceBroker } from "moleculer";
import { type Part, type Readiness, readinessOf } from "../../../core/health/readiness.ts";

/** Milliseconds within which a probe is answered, whatever has become unreachable; proxies commonly wait one second. */
export const PROBE_BOUND = 450;

/**
 * The first answer that says ready; without one, an answer that says it is not, or 503 when there is none in time.
 * @param bound milliseconds
 * @param unanswered the part that is missing when no node answers
 */
export function firstReady(answers: readonly Promise<Readiness>[], bound: number, unanswered: Part): Promise<Readiness> {
  return new Promise((resolve) => {
    let last = readinessOf([unanswered]);
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
  const isLocal = found !== undefined && found.localEndpoints.length > 0;
  const nodes = isLocal || !found ? [broker.nodeID] : found.endpoints.map(({ id }) => id);
  const answers = nodes.map((nodeID) => broker.call<Readiness, object>(action, params, { nodeID, timeout: PROBE_BOUND }));
  return firstReady(answers, PROBE_BOUND, isLocal ? "database" : "transport");
}
