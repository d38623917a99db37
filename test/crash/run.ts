import { parseArgs } from "node:util";
import { findNats } from "../support/nodes/nats.ts";
import { crash, isWhole, type Plan, told, type Victim } from "./scenario.ts";

const HELP = `npm run crash -- [options]: kills the worker, PostgreSQL and NATS during jobs and mails, and counts
  --jobs 1000      jobs that write at a provider
  --mails 1000     mails to an SMTP server
  --kills 50       of the worker
  --outages 10     of PostgreSQL and of NATS
  --only worker,postgres,nats
  --rounds 1`;

const { values: options } = parseArgs({
  options: {
    jobs: { type: "string", default: "1000" },
    mails: { type: "string", default: "1000" },
    kills: { type: "string", default: "50" },
    outages: { type: "string", default: "10" },
    only: { type: "string", default: "worker,postgres,nats" },
    rounds: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const victims = options.only.split(",") as Victim[];
if (options.help || victims.some((victim) => !["worker", "postgres", "nats"].includes(victim))) {
  say(HELP);
  process.exit(options.help ? 0 : 2);
}

let isGood = true;
for (let round = 1; round <= Number(options.rounds); round++)
  for (const victim of victims) {
    if (victim === "nats" && !findNats()) {
      say("nats     not run: nats-server is not installed (apt-get install nats-server)");
      continue;
    }
    const kills = Number(victim === "worker" ? options.kills : options.outages);
    const plan: Plan = { victim, kills, jobs: Number(options.jobs), mails: Number(options.mails) };
    const counts = await crash(plan);
    say(told(counts));
    isGood &&= isWhole(counts);
  }
process.exit(isGood ? 0 : 1);
