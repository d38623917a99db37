import { retryAfterSuspension } from "../../core/jobs/operating.ts";
import { recordAct } from "../../operator/instance/audit.ts";
import { cancelDeletion, PURGE_DAYS, requestDeletion, resume, suspend } from "../../operator/lifecycle.ts";
import { createOrganisation, lendMail, linkDomain, listOrganisations, OperatorError } from "../../operator/organisations.ts";
import { purge, purgeInBatches, removeBytes } from "../../operator/purge.ts";
import { withQueue } from "../../operator/queue.ts";
import { atOnce } from "../at-once.ts";
import { type Call, type Command, columns, type Option, ORG } from "../command.ts";

const REASON: Option = { value: "TEXT", about: "Why, for other operators; members do not see it" };

/** Changes the state of an organisation in one transaction, with a line of the operators' audit; then does what follows the commit. */
async function changing<D extends Record<string, unknown>>(
  call: Call,
  act: string,
  work: (id: string) => Promise<D>,
  then: (id: string) => Promise<Record<string, number>> = async () => ({}),
): Promise<{ slug: string; made: D & Record<string, number>; json: object }> {
  const { id, slug } = await call.organisation();
  const detail = await atOnce(call.client, async () => {
    const done = await work(id);
    await recordAct(call.client, act, null, null, { organisation: { id, slug }, detail: done });
    return done;
  });
  const made = { ...detail, ...(await then(id)) } as D & Record<string, number>;
  return { slug, made, json: { id, slug, ...made } };
}

/** Runs the jobs again that had waited too long. */
const jobsAgain = (call: Call) => async (id: string) => ({
  jobs: await withQueue(call.config, call.ownerUrl, (queue) => retryAfterSuspension(queue, id)),
});

function daysOf(call: Call): number {
  const days = call.text("days") ?? String(PURGE_DAYS);
  if (!/^[1-9]\d{0,2}$/.test(days) || Number(days) > 365) throw new OperatorError("--days must be a number from 1 to 365.");
  return Number(days);
}

const lifecycleCommands: readonly Command[] = [
  {
    name: "org suspend",
    about: "Suspend an organisation: its host refuses everyone, and its jobs, mails and webhooks wait",
    options: { org: ORG, reason: REASON },
    ownTransactions: true,
    async run(call) {
      const reason = call.text("reason") ?? null;
      const { slug, json } = await changing(call, "organisation.suspended", async (id) => {
        await suspend(call.client, id, reason);
        return { reason };
      });
      return { json, text: [`${slug} is suspended.`] };
    },
  },
  {
    name: "org resume",
    about: "End the suspension of an organisation",
    options: { org: ORG },
    ownTransactions: true,
    async run(call) {
      const work = async (id: string) => {
        await resume(call.client, id);
        return {};
      };
      const { slug, json } = await changing(call, "organisation.resumed", work, jobsAgain(call));
      return { json, text: [`${slug} is active.`] };
    },
  },
  {
    name: "org delete",
    about: "Suspend an organisation now, and delete everything of it after some days",
    options: { org: ORG, reason: REASON, days: { value: "N", about: `Days until then; ${PURGE_DAYS} if omitted` } },
    ownTransactions: true,
    async run(call) {
      const [days, reason] = [daysOf(call), call.text("reason") ?? null];
      const { slug, made, json } = await changing(call, "organisation.deletion_requested", async (id) => ({
        reason,
        purge_at: await requestDeletion(call.client, id, days, reason),
      }));
      return {
        json,
        text: [`${slug} is suspended, and deleted for good on ${made.purge_at}; until then \`org keep\` cancels that.`],
      };
    },
  },
  {
    name: "org keep",
    about: "Cancel the deletion of an organisation",
    options: { org: ORG },
    ownTransactions: true,
    async run(call) {
      const work = async (id: string) => {
        await cancelDeletion(call.client, id);
        return {};
      };
      const { slug, json } = await changing(call, "organisation.deletion_cancelled", work, jobsAgain(call));
      return { json, text: [`${slug} stays.`] };
    },
  },
  {
    name: "org purge",
    about: "Delete everything of an organisation for good, before its day",
    options: { org: { ...ORG, about: "The organisation, whose deletion was requested", required: true } },
    ownTransactions: true,
    async run(call) {
      const { id } = await call.organisation();
      const batches = await purgeInBatches((part) => atOnce(call.client, () => part(call.client)), id);
      const work = async (id: string) => {
        const { rows, accounts } = await purge(call.client, id);
        return { rows: batches + rows, accounts };
      };
      const removed = async (id: string) => ({ files: await removeBytes(id) });
      // Without a node in this process nothing has set up the stores of files.
      const { slug, made, json } = await call.withPool(() => changing(call, "organisation.purged", work, removed));
      return { json, text: [`Deleted ${made.rows} rows, ${made.accounts} accounts and ${made.files} files of ${slug}.`] };
    },
  },
];

export const organisationCommands: readonly Command[] = [
  ...lifecycleCommands,
  {
    name: "org create",
    about: "Create an organisation with its four system roles",
    arguments: [{ name: "slug", about: "Its address is <slug>.<base domain>: 1 to 63 of a-z, 0-9 and -" }],
    options: { name: { value: "NAME", about: "Its name; the slug if omitted" } },
    async run(call) {
      const slug = call.need("slug");
      const organisation = await createOrganisation(call.client, { slug, name: call.text("name") ?? slug });
      const hostname = `${slug}.${call.config.baseDomain}`;
      return {
        json: { id: organisation.id, slug, name: organisation.name, hostname },
        text: [`Organisation ${slug} (${organisation.id}) answers at ${hostname}.`],
      };
    },
  },
  {
    name: "org list",
    about: "List the organisations",
    async run({ client, config }) {
      const all = await listOrganisations(client);
      return {
        json: all.map(({ id, slug, name, status, enabledModules }) => ({
          id,
          slug,
          name,
          status,
          hostname: `${slug}.${config.baseDomain}`,
          enabled_modules: enabledModules,
        })),
        text: columns(all.map(({ id, slug, status, name }) => [slug, id, status, name])),
      };
    },
  },
  {
    name: "org mail",
    about: "Include an organisation in the instance's mail transport, or leave it out",
    arguments: [{ name: "state", about: "on or off; every organisation begins with on" }],
    options: { org: ORG },
    async run(call) {
      const organisation = await call.organisation();
      const state = call.need("state");
      if (state !== "on" && state !== "off") throw new OperatorError(`'${state}' is neither on nor off.`);
      await lendMail(call.client, organisation.id, state === "on");
      return {
        json: { organisation: organisation.slug, instance_mail: state === "on" },
        text: [`Organisation ${organisation.slug} ${state === "on" ? "may use" : "may not use"} the instance's mail transport.`],
      };
    },
  },
  {
    name: "domain link",
    about: "Serve an organisation at its own host name, as a verified domain",
    arguments: [{ name: "hostname", about: "The host name, without scheme and port" }],
    options: { org: ORG },
    async run(call) {
      const organisation = await call.organisation();
      const hostname = call.need("hostname").toLowerCase();
      const id = await linkDomain(call.client, organisation.id, hostname, call.config.baseDomain);
      return {
        json: { id, hostname, organisation: organisation.slug },
        text: [`${hostname} (${id}) is linked to ${organisation.slug}.`],
      };
    },
  },
];
