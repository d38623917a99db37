import { isEmbedded } from "../../core/config/config.ts";
import { knownSteps } from "../../migrations/run.ts";
import { mainSecret, prepareRuntime } from "../../operator/boot.ts";
import { type FirstRun, firstRunFacts, firstRunFile, keepFirstRun, seedDemo } from "../../operator/demo/seed.ts";
import { OperatorError } from "../../operator/organisations.ts";
import type { Command } from "../command.ts";

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
    about: "Fill an empty database with the demo organisation",
    ownTransactions: true,
    async run({ ownerUrl, config, withPool }) {
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
