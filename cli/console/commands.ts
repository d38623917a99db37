import { nearestTo } from "../../core/config/nearest-name.ts";
import { pathParameters } from "../../core/declare/action.ts";
import { bodyFields } from "../../core/declare/tool.ts";
import { columns } from "../command.ts";
import { enter, explain, organisations, principal, routes } from "./inspections.ts";
import { jobs } from "./jobs.ts";
import { readParameters } from "./parameters.ts";
import { ConsoleError, callAction, type ListedAction, listedActions, type Session, shown } from "./session.ts";

export interface ConsoleCommand {
  name: string;
  /** Another name for it. */
  alias?: string;
  /** Syntax, for instance `explain <method> <path>`; `<>` is required, `[]` optional. */
  usage: string;
  about: string;
  run(session: Session, words: string[], rest: string): string | Promise<string>;
}

/** Commands that Moleculer's own console lacks. */
export const ownCommands: readonly ConsoleCommand[] = [
  { name: "orgs", usage: "orgs", about: "List the organisations", run: (session) => organisations(session) },
  {
    name: "as",
    alias: "use",
    usage: "as <organisation>",
    about: "Run later calls as the system in an organisation; also `use <organisation>`",
    run: (session, [slug = ""]) => enter(session, slug),
  },
  {
    name: "principal",
    usage: "principal <prefix>",
    about: "Show the owner and the permissions of an API key",
    run: (session, [prefix = ""]) => principal(session, prefix),
  },
  {
    name: "routes",
    usage: "routes [filter]",
    about: "List the routes with action and permission",
    run: (session, _words, rest) => routes(session, rest),
  },
  {
    name: "explain",
    usage: "explain <method> <path>",
    about: "Show action, permission, licence and the statements of the last call",
    run: (session, [method = "", path = ""]) => explain(session, method, path),
  },
  {
    name: "jobs",
    usage: "jobs [what] [words]",
    about:
      "Figures of this node's jobs; `jobs list --name … --state …`, `dead --name …`, `show`, `why`, `retry` and `cancel <id>`",
    run: (session, words) => jobs(session, words),
  },
];

interface ListedNode {
  id: string;
  available: boolean;
  local: boolean;
  hostname: string;
  client?: { version?: string; langVersion?: string };
}

/** Commands of Moleculer's own console, for the console over the socket. */
const brokerCommands: readonly ConsoleCommand[] = [
  {
    name: "call",
    usage: "call <action> [params]",
    about: "Call an action; parameters as JSON, a body under `body`, or as flags: `--limit 3 --sort -name`",
    async run(session, [name = ""], rest) {
      return shown(await callAction(session, name, readParameters(rest.slice(name.length).trim())));
    },
  },
  {
    name: "nodes",
    usage: "nodes",
    about: "List the nodes",
    run({ broker }) {
      const nodes = broker.registry.getNodeList({ onlyAvailable: false, withServices: false }) as unknown as ListedNode[];
      const rows = nodes.map(({ id, available, local, hostname, client }) => [
        local ? `${id} (this one)` : id,
        available ? "online" : "offline",
        hostname,
        `Node ${client?.langVersion}, Moleculer ${client?.version}`,
      ]);
      return columns(rows).join("\n");
    },
  },
  {
    name: "services",
    usage: "services [filter]",
    about: "List the actors and where they run",
    run({ broker }, _words, rest) {
      const listed = broker.registry.getServiceList({ skipInternal: true, onlyAvailable: true }) as unknown as {
        fullName: string;
        nodeID: string;
      }[];
      const byName = Map.groupBy(listed, ({ fullName }) => fullName);
      const rows = [...byName].map(([name, found]) => [name, found.map(({ nodeID }) => nodeID).join(", ")]).sort();
      return columns(rows.filter((row) => row.join(" ").includes(rest))).join("\n");
    },
  },
  {
    name: "actions",
    usage: "actions [filter]",
    about: "List the actions",
    run({ broker }, _words, rest) {
      const rows = listedActions(broker).map(({ name, summary = "" }) => [name, summary]);
      return columns(rows.filter((row) => row.join(" ").toLowerCase().includes(rest.toLowerCase())).sort()).join("\n");
    },
  },
];

const HELP: ConsoleCommand = {
  name: "help",
  usage: "help",
  about: "Show this",
  run: () =>
    [
      ...columns(consoleCommands.map(({ usage, about }) => [usage, about])),
      "Ctrl-D leaves the console; the service keeps running.",
    ].join("\n"),
};

/** All commands of the console over the socket. */
export const consoleCommands: readonly ConsoleCommand[] = [...ownCommands, ...brokerCommands, HELP];

/** Runs one typed line and returns the output. Never throws: errors become output too. */
export async function runLine(session: Session, line: string): Promise<string> {
  const [name = "", ...words] = line.trim().split(/\s+/);
  if (name === "") return "";
  const command = consoleCommands.find((known) => known.name === name || known.alias === name);
  if (!command) {
    const { nearest, isMisspelt } = nearestTo(
      name,
      consoleCommands.map((known) => known.name),
    );
    return `There is no command '${name}'; ${isMisspelt ? `did you mean \`${nearest}\`?` : "see `help`."}`;
  }
  const needed = command.usage.split("<").length - 1;
  // What a command does not take is refused rather than ignored; a word in brackets may be several.
  const isTooMuch = !command.usage.includes("[") && words.length > needed;
  if (words.length < needed || isTooMuch) return `Usage: ${command.usage}`;
  try {
    return await command.run(session, words, line.trim().slice(name.length).trim());
  } catch (error) {
    return describe(error);
  }
}

/** Describes an error: a refusal by its code and fields, any other by its stack. */
export function describe(error: unknown): string {
  if (error instanceof ConsoleError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, type, data } = error as Error & { code?: unknown; type?: string; data?: unknown };
  if (typeof code === "number") return `${code} ${type ?? error.name}: ${error.message}${data ? ` ${shown(data)}` : ""}`;
  return error.stack ?? error.message;
}

/** The parameters of an action as flags of `call` name them. */
const parametersOf = ({ urlPath = "", query = {}, body }: ListedAction): string[] => [
  ...pathParameters(urlPath),
  ...Object.keys(query),
  ...bodyFields(body).map((field) => `body.${field}`),
];

/** Completions of the typed line: commands, actions, and their parameters. */
export function completions(session: Session, line: string): string[] {
  const [name = "", ...words] = line.trimStart().split(/\s+/);
  if (words.length === 0) return consoleCommands.map((command) => command.name).filter((known) => known.startsWith(name));
  if (name !== "call") return [];
  const actions = listedActions(session.broker);
  if (words.length === 1)
    return actions.map((action) => `call ${action.name}`).filter((known) => known.startsWith(`call ${words[0]}`));
  const action = actions.find((known) => known.name === words[0]);
  const last = words.at(-1) ?? "";
  if (!action || (last !== "" && !last.startsWith("-"))) return [];
  const begun = line.slice(0, line.length - last.length);
  return parametersOf(action)
    .filter((parameter) => !words.slice(1, -1).includes(`--${parameter}`))
    .map((parameter) => `${begun}--${parameter}`)
    .filter((known) => known.startsWith(line));
}
