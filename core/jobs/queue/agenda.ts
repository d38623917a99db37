import { createRequire } from "node:module";

interface Logger {
  extend(name: string): Logger;
}

/**
 * Agenda, loaded when there are jobs. For each step of each job it has `debug` make a logger of the same few names, which was a third of
 * what an event costs a node: the loggers that Agenda has from here on make each only once.
 */
export async function loadAgenda(): Promise<typeof import("agenda")> {
  const debug = createRequire(import.meta.resolve("agenda"))("debug") as { init?: (logger: Logger) => void };
  const { init } = debug;
  debug.init = (logger) => {
    init?.(logger);
    const made = new Map<string, Logger>();
    const extend = logger.extend.bind(logger);
    logger.extend = (name) => {
      const known = made.get(name) ?? extend(name);
      made.set(name, known);
      return known;
    };
  };
  try {
    return await import("agenda");
  } finally {
    if (init) debug.init = init;
    else delete debug.init;
  }
}
