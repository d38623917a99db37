import { createRequire } from "node:module";
import type { REPLEval } from "node:repl";
import type { CallingOptions, ServiceBroker } from "moleculer";
import { describe, ownCommands } from "./console/commands.ts";
import { callAction, type Session } from "./console/session.ts";

type MoleculerRepl = (broker: ServiceBroker, options: { delimiter: string; customCommands: object[] }) => { eval: REPLEval };

/** Moleculer's console parses a value that starts with a dash as a flag: `--sort -name` becomes `--sort=-name`. */
const withValuesJoined = (line: string): string => line.replace(/(\s--[\w.]+)\s+(-[a-z_])/gi, "$1=$2");

/** Accepts the filter syntax of the console over the socket: `actions members` becomes `actions -f **members**`. */
const withFilter = (line: string): string => line.replace(/^(\s*(?:actions|services))\s+([\w.]+)\s*$/, "$1 -f **$2**");

/** A broker whose calls run as the session's organisation; everything else is the node's own broker. */
function brokerOf(session: Session): ServiceBroker {
  const { broker } = session;
  const call = (name: string, params: Record<string, unknown>, options?: CallingOptions) =>
    callAction(session, name, params, options);
  return Object.create(broker, { call: { value: call }, stop: { value: () => broker.stop() } });
}

/**
 * Opens Moleculer's console in this process and adds this service's commands. Leaving it stops the node.
 * @param ownerUrl database URL of the role that owns the tables, for commands across organisations
 */
export function openRepl(broker: ServiceBroker, ownerUrl?: string): void {
  const session: Session = { broker, ownerUrl, organisation: null };
  const repl = createRequire(import.meta.url)("moleculer-repl") as MoleculerRepl;
  const customCommands = ownCommands.map(({ alias, usage, about, run }) => ({
    command: usage,
    ...(alias && { alias }),
    description: about,
    async action(_broker: ServiceBroker, { rawCommand }: { rawCommand: string }) {
      const rest = rawCommand.trim().replace(/^\S+\s*/, "");
      const text = await Promise.resolve()
        .then(() => run(session, rest.split(/\s+/), rest))
        .catch(describe);
      process.stdout.write(`${text}\n`);
    },
  }));
  const server = repl(brokerOf(session), { delimiter: "kantoor $", customCommands });
  const evaluate = server.eval;
  server.eval = function (line, ...rest) {
    evaluate.call(this, withFilter(withValuesJoined(line)), ...rest);
  };
}
