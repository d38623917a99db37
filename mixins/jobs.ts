import type { Logger, Middleware, Service, ServiceBroker, ServiceSchema } from "moleculer";
import { catalogue, isEvent } from "../core/declare/catalogue/catalogue.ts";
import type { Cause, Organisation } from "../core/declare/principal.ts";
import { definitionsOf, type Facts, factsOf } from "../core/jobs/definition.ts";
import { JobEngine } from "../core/jobs/engine.ts";
import type { Jobs, Subscriptions } from "../core/jobs/jobs.ts";
import { SYSTEM } from "../core/request/system.ts";
import { inTenancy } from "./tenancy.ts";

/** Work without a caller, which an actor can declare in addition to its actions. */
export interface Work {
  /** Jobs by name (core/jobs/jobs.ts). */
  jobs?: Jobs;
  /** Handlers of domain events by event name (`events` of a module.ts). */
  subscribe?: Subscriptions;
}

type Declaring = ServiceSchema & Work;

/**
 * Copies a schema's jobs and subscriptions into its metadata, which the live registry carries to every node.
 * @throws TypeError for an invalid schedule
 */
export function declaringWork(schema: ServiceSchema): ServiceSchema {
  const { jobs, subscribe } = schema as Declaring;
  if (!jobs && !subscribe) return schema;
  return { ...schema, metadata: { ...schema.metadata, work: definitionsOf(schema.name, jobs, subscribe).map(factsOf) } };
}

/** @throws TypeError for an event or a module that no `module.ts` declares, which prevents the actor's start */
function requireDeclared(definitions: readonly Facts[], standIns: readonly string[]): void {
  const modules = new Set([...catalogue().built.map(({ manifest }) => manifest.key), ...standIns]);
  for (const { name, event, module } of definitions) {
    if (event !== null && !isEvent(event))
      throw new TypeError(`'${name}' subscribes to '${event}', an event that no module.ts declares`);
    if (module !== null && !modules.has(module))
      throw new TypeError(`The job '${name}' belongs to '${module}', a module that no module.ts declares`);
  }
}

const engines = new WeakMap<ServiceBroker, JobEngine>();

/** The broker's job engine, created for its first actor. */
export function jobsOf(broker: ServiceBroker): JobEngine {
  let engine = engines.get(broker);
  if (!engine) engines.set(broker, (engine = engineFor(broker)));
  return engine;
}

function engineFor(broker: ServiceBroker): JobEngine {
  const loggers = new Map<string, Logger>();
  return new JobEngine(broker, {
    inTenancy: (make, work) => inTenancy(make, work),
    call: <T>(
      action: string,
      parameters: Record<string, unknown>,
      organisation: Organisation | null,
      requestId: string,
      cause?: Cause,
      once?: string,
    ) => {
      const meta = {
        organisation,
        principal: SYSTEM,
        requestId,
        cause,
        once,
        host: "",
        address: "",
        userAgent: null,
        origin: "",
      };
      return broker.call<T, Record<string, unknown>>(action, parameters, { meta });
    },
    loggerOf(service) {
      let logger = loggers.get(service);
      if (!logger) loggers.set(service, (logger = broker.getLogger(service)));
      return logger;
    },
  });
}

/**
 * The middleware that runs the `jobs` and `subscribe` of actors. One per broker.
 * @param standIns modules without a folder that own jobs of tests
 */
export function jobsMiddleware(standIns: readonly string[] = []): Middleware {
  return {
    name: "Jobs",
    serviceCreated(service: Service) {
      const { jobs, subscribe } = service.schema as Declaring;
      const definitions = definitionsOf(service.name, jobs, subscribe);
      requireDeclared(definitions, standIns);
      jobsOf(service.broker).add(service.name, definitions);
    },
    async started(broker) {
      jobsOf(broker).start();
    },
    async stopping(broker) {
      await jobsOf(broker).stop();
    },
  };
}
