import { isEmbedded } from "../../core/config/config.ts";
import { knownSteps } from "../../migrations/run.ts";
import { mainSecret, prepareRuntime } from "../../operator/boot.ts";
import { type FirstRun, firstRunFacts, firstRunFile, keepFirstRun, seedDemo } from "../../operator/demo/seed.ts";
import { OperatorError } from "../../operator/organisations.ts";
import { seedOrganisations } from "../../operator/seed/seed-organisations.ts";
import { type Call, type Command, type Outcome, UsageError } from "../command.ts";
import { progressOn } from "../progress.ts";

/** Most organisations and clients of one seed. */
const MOST = 100_000_000;
const COMPANIES = 100;
const SEED = /^[a-z][a-z0-9]{0,30}$/;

/** @throws UsageError for anything but a whole number from 1 on */
function wholeOf({ text }: Call, option: string, otherwise: number): number {
  const value = Number(text(option) ?? otherwise);
  if (!Number.isInteger(value) || value < 1 || value > MOST) throw new UsageError(`--${option} is a whole number from 1 on.`);
  return value;
}

/** Makes many organisations for measurements. */
async function seedMany(call: Call): Promise<Outcome> {
  const { ownerUrl, config, terminal, flag, text } = call;
  const organisations = wholeOf(call, "organisations", 1);
  const companies = wholeOf(call, "companies", organisations * COMPANIES);
  if (companies < organisations) throw new UsageError("--companies is at least the number of organisations.");
  const seed = text("seed") ?? "seed";
  if (!SEED.test(seed)) throw new UsageError("--seed is a letter and up to 30 letters and digits.");
  const progress = await progressOn(terminal, "Clients");
  try {
    const request = { organisations, companies, seed, beside: flag("beside"), keyPrefix: config.keyPrefix };
    const made = await seedOrganisations(ownerUrl, request, progress.show);
    return {
      json: made,
      text: [
        `Made ${organisations} organisations with ${companies} clients; the largest is ${made.slug}.${config.baseDomain}.`,
        `  API key   ${made.api_key}`,
        "This is shown once.",
      ],
    };
  } finally {
    progress.end();
  }
}

export const maintenanceCommands: readonly Command[] = [
  {
    name: "migrate",
    about: "Bring the database to this version",
    async run({ migrated }) {
      const steps = knownSteps();
      return {
        json: { applied: migrated, version: steps.at(-1) },
        text: [migrated.length === 0 ? `The database is at ${steps.at(-1)} already.` : `Applied ${migrated.join(", ")}.`],
      };
    },
  },
  {
    name: "seed",
    about: "Fill an empty database with the demo organisation, or with many organisations for measurements",
    options: {
      organisations: { value: "NUMBER", about: "Make so many organisations instead, with owners, clients and their work" },
      companies: { value: "NUMBER", about: "Clients of them all, most of them in the first organisation; default 100 each" },
      seed: { value: "NAME", about: "Begins their slugs: the same name makes the same rows; default `seed`" },
      beside: { about: "Also where there are organisations already" },
    },
    details: [
      "The sizes of the organisations follow Zipf's law. A million clients come with twelve million rows, which take an hour or more.",
      "After it, `vacuum analyze` in the database makes the first figures comparable.",
    ],
    ownTransactions: true,
    async run(call) {
      if (call.text("organisations") !== undefined) return seedMany(call);
      for (const option of ["companies", "seed"])
        if (call.text(option) !== undefined) throw new UsageError(`--${option} needs --organisations.`);
      const { ownerUrl, config, withPool } = call;
      const factsOf = (made: FirstRun) => firstRunFacts(made, config, config.httpPort);
      const keep = isEmbedded(config) ? (made: FirstRun) => keepFirstRun(factsOf(made), config) : async () => {};
      // The running service must be able to open what the demo seals.
      prepareRuntime({ ...config, secret: mainSecret(config) });
      const first = await withPool(() => seedDemo(ownerUrl, config, keep));
      if (!first) throw new OperatorError("An organisation already exists; the demo needs an empty database.");
      const facts = factsOf(first);
      return {
        json: { id: first.organisation.id, ...facts },
        text: [
          `Organisation ${facts.organisation} (${first.organisation.id}) answers at ${facts.hostname}.`,
          `  e-mail    ${facts.admin.email}`,
          `  password  ${facts.admin.password}`,
          `  API key   ${facts.api_key}`,
          isEmbedded(config) ? `This is shown once and saved in ${firstRunFile(config)}.` : "This is shown once.",
        ],
      };
    },
  },
];
