import { runtime } from "../../core/config/runtime.ts";
import { licensable, switchable } from "../../core/declare/permissions.ts";
import { service } from "../../mixins/resource.ts";
import { listLicences, PLANS, setLicence, setPlan, switchModules } from "../licences.ts";
import { findOrganisation, lendMail } from "../organisations.ts";
import { instanceAction, requireUnlimited } from "./action.ts";
import { organisationOfCall, shown } from "./found.ts";
import { OrganisationRead } from "./schemas/organisations.ts";
import { LicenceChange, LicenceList, MailChange, ModulesChange, PlanChange, PlanList } from "./schemas/plans.ts";

const needs = "plans";

/** Plans of hosted organisations, the licence of the installation, and what organisations have switched on. */
export default service("instance.plans", {
  actions: {
    plans: instanceAction({
      rest: "GET /instance/plans",
      verb: "list",
      summary: "List the plans and modules that there are",
      needs,
      returns: PlanList,
      handler: async () => ({ plans: [...PLANS], modules: switchable().map(({ module }) => module), licensed: licensable() }),
    }),

    setPlan: instanceAction({
      rest: "PUT /instance/organisations/:organisation_id/plan",
      summary: "Set the plan of an organisation",
      description: "A plan has an effect on a hosted installation alone (`SERVICE_POSTURE`).",
      needs,
      act: "organisation.plan_set",
      body: PlanChange,
      returns: OrganisationRead,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { organisation_id: id, body }, note }) {
        const organisation = await organisationOfCall(client, caller, id);
        const endsAt = body.ends_at ?? null;
        await setPlan(client, id, body.plan, endsAt);
        note({ organisation, detail: { plan: body.plan, ends_at: endsAt } });
        return shown(await organisationOfCall(client, caller, id));
      },
    }),

    switchModules: instanceAction({
      rest: "POST /instance/organisations/:organisation_id/modules",
      summary: "Switch modules of an organisation on or off",
      needs,
      act: "organisation.modules_switched",
      body: ModulesChange,
      returns: OrganisationRead,
      status: 200,
      errors: ["not_found", "instance_refused"],
      async handler({ client, caller, params: { organisation_id: id, body }, note }) {
        const organisation = await organisationOfCall(client, caller, id);
        const found = await findOrganisation(client, id);
        const { changed } = await switchModules(client, found, body.modules, body.enabled, runtime().config);
        note({ organisation, detail: { changed, enabled: body.enabled } });
        return shown(await organisationOfCall(client, caller, id));
      },
    }),

    lendMail: instanceAction({
      rest: "PUT /instance/organisations/:organisation_id/mail",
      summary: "Let an organisation use the installation's mail transport, or not",
      needs: "organisations",
      act: "organisation.mail_lent",
      body: MailChange,
      returns: OrganisationRead,
      errors: ["not_found"],
      async handler({ client, caller, params: { organisation_id: id, body }, note }) {
        const organisation = await organisationOfCall(client, caller, id);
        await lendMail(client, id, body.instance_mail);
        note({ organisation, detail: { instance_mail: body.instance_mail } });
        return shown(await organisationOfCall(client, caller, id));
      },
    }),

    licences: instanceAction({
      rest: "GET /instance/licences",
      summary: "Show the licence of the installation",
      needs,
      returns: LicenceList,
      handler: ({ client }) => listLicences(client),
    }),

    setLicence: instanceAction({
      rest: "PUT /instance/licences",
      summary: "Set expiry and grace period of licensed modules; other modules keep theirs",
      needs,
      act: "licence.set",
      body: LicenceChange,
      returns: LicenceList,
      errors: ["instance_refused"],
      async handler({ client, caller, params: { body }, note }) {
        requireUnlimited(caller);
        const { modules, expires_at: expiresAt, grace_days: days = 0 } = body;
        note({ detail: { modules, expires_at: expiresAt, grace_days: days } });
        return setLicence(client, modules, expiresAt, days);
      },
    }),
  },
});
