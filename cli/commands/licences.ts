import { licensingOf } from "../../core/declare/licence.ts";
import { licensable } from "../../core/declare/permissions.ts";
import { readMoment } from "../../operator/dates.ts";
import { PLANS, setLicence, setPlan, switchModules } from "../../operator/licences.ts";
import { type Call, type Command, columns, type Option, ORG, type Outcome, UsageError } from "../command.ts";

async function installLicence(call: Call): Promise<Outcome> {
  const expires = call.text("expires");
  if (expires === undefined) throw new UsageError("A licence needs --expires DATE.");
  const grace = call.text("grace") ?? "0";
  if (!/^\d{1,4}$/.test(grace)) throw new UsageError("--grace must be a number of days.");
  const modules = await setLicence(call.client, call.list("modules"), readMoment(expires, "expires"), Number(grace));
  const rule = licensingOf(call.config);
  if (rule === "plan") call.note("Hosted organisations follow their plan (--plan); this licence has no effect.");
  if (rule === "none")
    call.note("All modules are writable unless SERVICE_LICENSING is 'required'; until then this licence has no effect.");
  return {
    json: { modules },
    text: columns(modules.map((listed) => [listed.module, `until ${listed.expires_at}`, `${listed.grace_days} days of grace`])),
  };
}

async function changePlan(call: Call, plan: string): Promise<Outcome> {
  const organisation = await call.organisation();
  const expires = call.text("expires");
  const endsAt = expires === undefined ? null : readMoment(expires, "expires");
  if (call.config.posture !== "hosted") call.note("A plan has no effect while SERVICE_POSTURE is self-hosted.");
  await setPlan(call.client, organisation.id, plan, endsAt);
  return {
    json: { organisation: organisation.slug, id: organisation.id, plan, plan_ends_at: endsAt },
    text: [`The plan of ${organisation.slug} is ${plan}${endsAt === null ? "" : ` until ${endsAt}`}.`],
  };
}

const MODULES: Option = { value: "A,B|all", about: "The modules it is about", multiple: true };

const switching = (on: boolean): Command => ({
  name: on ? "modules enable" : "modules disable",
  about: on
    ? "Switch modules of an organisation on; a licensed one needs its licence"
    : "Switch modules of an organisation off; their endpoints stay",
  arguments: [{ name: "modules", about: "Names, separated by commas" }],
  options: { org: ORG },
  async run(call) {
    const organisation = await call.organisation();
    const { enabled, changed } = await switchModules(call.client, organisation, call.list("modules"), on, call.config);
    return {
      json: { organisation: organisation.slug, id: organisation.id, enabled_modules: enabled, changed },
      text: [
        changed.length === 0 ? "No changes." : `${on ? "Enabled" : "Disabled"} ${changed.join(", ")}.`,
        `${organisation.slug} has ${enabled.join(", ")}.`,
      ],
    };
  },
});

export const licenceCommands: readonly Command[] = [
  {
    name: "licence set",
    about: "Set the product licence of the installation, or the plan of a hosted organisation",
    options: {
      modules: MODULES,
      expires: { value: "DATE", about: "Last day (UTC) or instant of the licence or plan" },
      grace: { value: "N", about: "Days after the expiry in which writing still works; 0 if omitted" },
      plan: { value: "PLAN", about: `Hosted: one of ${PLANS.join(", ")}` },
      org: { ...ORG, about: `With --plan: ${ORG.about.toLowerCase()}` },
    },
    get details() {
      return [`Modules that a licence knows: ${licensable().join(", ")}.`, "Modules not listed keep their state."];
    },
    async run(call) {
      const plan = call.text("plan");
      if ((plan === undefined) === (call.list("modules").length === 0))
        throw new UsageError("Use --modules with --expires for a licence, or --plan for a hosted organisation.");
      return plan === undefined ? installLicence(call) : changePlan(call, plan);
    },
  },
  switching(true),
  switching(false),
];
