import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { findNats } from "../support/nodes/nats.ts";
import { crashInChaos } from "./chaos/chaos.ts";
import { FAULT_NAMES, type FaultName } from "./chaos/faults.ts";
import { chaosReport, isWhole as isWholeInChaos } from "./chaos/report.ts";
import { crashEvents, eventsLine } from "./events/events.ts";
import { crash, isWhole, reported, VICTIMS, type Victim } from "./jobs/jobs.ts";
import { booksLine, crashMoney } from "./money/money.ts";
import { isCloned, RELEASES } from "./upgrade/release.ts";
import { isSmooth, upgrade, upgradeLines } from "./upgrade/upgrade.ts";

const say = (line: string) => process.stdout.write(`${line}\n`);
const option = (fallback: number | string) => ({ type: "string", default: String(fallback) }) as const;

interface Scenario {
  about: string;
  /** What each option is without a word. */
  options: Record<string, ReturnType<typeof option>>;
  help: string;
  /** One round. Gives whether all is well. */
  run(options: Record<string, string>): Promise<boolean>;
}

/** What can be tried, by its name. */
const SCENARIOS: Record<string, Scenario> = {
  jobs: {
    about: "kills the worker, PostgreSQL and NATS during jobs and mails, and counts what was lost or done twice",
    options: { jobs: option(1000), mails: option(1000), kills: option(50), outages: option(10), only: option(VICTIMS.join()) },
    help: `  --jobs 1000      jobs that write at a provider
  --mails 1000     mails to an SMTP server
  --kills 50       of the worker
  --outages 10     of PostgreSQL and of NATS
  --only ${VICTIMS.join()}`,
    async run({ jobs, mails, kills, outages, only = "" }) {
      let isGood = true;
      for (const victim of only.split(",") as Victim[]) {
        if (victim === "nats" && !findNats()) {
          say("nats     not run: nats-server is not installed (apt-get install nats-server)");
          continue;
        }
        const times = Number(victim === "worker" ? kills : outages);
        const counts = await crash({ victim, kills: times, jobs: Number(jobs), mails: Number(mails) });
        say(reported(counts));
        isGood &&= isWhole(counts);
      }
      return isGood;
    },
  },
  money: {
    about: "kills the service, PostgreSQL and the payment provider while an agency invoices, and looks at its books",
    options: { invoices: option(1000), agreements: option(100), periods: option(10), kills: option(15), outages: option(8) },
    help: `  --invoices 1000  each issued, credited in part, paid by hand and online
  --agreements 100 billed by the cycle
  --periods 10     of each
  --kills 15       of the service
  --outages 8      of PostgreSQL and of the provider`,
    async run({ invoices, agreements, periods, kills, outages }) {
      const books = await crashMoney({
        invoices: Number(invoices),
        agreements: Number(agreements),
        periods: Number(periods),
        kills: { service: Number(kills), postgres: Number(outages), provider: Number(outages) },
      });
      say(booksLine(books));
      return books.differences.length === 0;
    },
  },
  events: {
    about: "kills the service, PostgreSQL and all receivers during writes that notify, set off rules and go to webhooks",
    options: { writes: option(2000), kills: option(15), outages: option(8) },
    help: `  --writes 2000    tasks that are made
  --kills 15       of the service
  --outages 8      of PostgreSQL and of the receivers`,
    async run({ writes, kills, outages }) {
      const outcome = await crashEvents({
        writes: Number(writes),
        kills: { service: Number(kills), postgres: Number(outages), receivers: Number(outages) },
      });
      say(eventsLine(outcome));
      return outcome.differences.length === 0;
    },
  },
  upgrade: {
    about: "rolls two gateways and two workers from an older release to this version while clients work, and counts what failed",
    options: { from: option("0.3"), rows: option(200_000), clients: option(8), folder: option(""), log: option("") },
    help: `  --from 0.3       the older release: 0.2, 0.3 or a commit
  --rows 200000    of each table: clients, tasks, hours, contact moments, invoices
  --clients 8      that read, write and import all the time
  --folder <dir>   keeps the older release with its packages, or has it already
  --log <dir>      gets what each node logged`,
    async run({ from = "", rows, clients, folder, log }) {
      const commit = RELEASES[from] ?? from;
      if (!findNats() || !(await isCloned(commit))) {
        const lack = findNats() ? `this clone lacks ${commit} (git fetch --unshallow)` : "nats-server is not installed";
        say(`upgrade  not run: ${lack}`);
        return true;
      }
      const kept = folder || (await mkdtemp(path.join(tmpdir(), "kantoor-release-")));
      try {
        const plan = { from: commit, folder: path.resolve(kept), rows: Number(rows), clients: Number(clients), log: say };
        const outcome = await upgrade(plan);
        say(upgradeLines(outcome));
        if (log) for (const [name, text] of Object.entries(outcome.logs)) await writeFile(path.join(log, `${name}.log`), text);
        return isSmooth(outcome);
      } finally {
        if (!folder) await rm(kept, { recursive: true, force: true });
      }
    },
  },
  chaos: {
    about:
      "has clients work on four nodes while nodes, NATS, PostgreSQL, proxy, network, disk and clocks fail by a seed, and compares journals",
    options: {
      seed: option(1),
      minutes: option(10),
      clients: option(50),
      organisations: option(5),
      faults: option(FAULT_NAMES.join()),
      output: option("false"),
    },
    help: `  --seed 1         of the faults and of what the clients do
  --minutes 10     of faults
  --clients 50     of the API
  --organisations 5
  --output true    shows the last lines of each node
  --faults '${FAULT_NAMES.join(`,
      `)}'`,
    async run({ seed, minutes, clients, organisations, faults = "", output }) {
      if (!findNats()) {
        say("chaos    not run: nats-server is not installed (apt-get install nats-server)");
        return true;
      }
      const outcome = await crashInChaos({
        seed: Number(seed),
        minutes: Number(minutes),
        clients: Number(clients),
        organisations: Number(organisations),
        faults: faults.split(",") as FaultName[],
        report: (name) => process.stderr.write(`${new Date().toISOString()} ${name}\n`),
      });
      say(chaosReport(outcome));
      if (output === "true") say(outcome.said);
      return isWholeInChaos(outcome);
    },
  },
};

const HELP = Object.entries(SCENARIOS)
  .map(([name, { about, help }]) => `npm run crash -- ${name} [options]: ${about}\n${help}`)
  .concat("Without a name it is jobs; --rounds 1 does it more often.")
  .join("\n\n");

const [first = "", ...others] = process.argv.slice(2);
const isNamed = Object.hasOwn(SCENARIOS, first);
const { options: known, run } = SCENARIOS[isNamed ? first : "jobs"] as Scenario;
const { values } = parseArgs({
  args: isNamed ? others : process.argv.slice(2),
  options: { ...known, rounds: option(1), help: { type: "boolean", default: false } },
});
const options = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
const unknown = options["only"]?.split(",").filter((victim) => !(VICTIMS as readonly string[]).includes(victim)) ?? [];
if (values.help || unknown.length > 0) {
  say(HELP);
  process.exit(values.help ? 0 : 2);
}
let isGood = true;
for (let round = 1; round <= Number(options["rounds"]); round++) isGood = (await run(options)) && isGood;
process.exit(isGood ? 0 : 1);
