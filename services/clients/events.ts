import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { namedValues } from "../../core/naming/named-values.ts";
import { choice, list, type Static, Type, uuid } from "../../core/schema/schema.ts";

const company = { company_id: uuid(), title: Type.String({ description: "Name of the client" }) };
const recipients = list(uuid());
const status = choice(namedValues("CompanyStatus", ["lead", "onboarding", "active", "offboarding", "archived"]));

/** Events of companies. */
export const companyEvents = {
  "company.created": event("company", "A company was added. Recipients: its assignees.", {
    ...company,
    status: { ...status, description: "The status it was added in" },
    recipients,
  }),
  "company.status_changed": event("company", "The status of a company changed. Recipients: its assignees.", {
    ...company,
    status: { ...status, description: "The new status" },
    previous_status: { ...status, description: "The status before, the same as `from`" },
    from: { ...status, description: "The status before" },
    to: { ...status, description: "The new status, the same as `status`" },
    recipients,
  }),
  "company.merged": event(
    "company",
    "A company was merged into another, which now has everything that referred to it. The merged one is gone.",
    {
      ...company,
      merged_company_id: uuid(),
      merged_title: Type.String({ description: "Name of the merged client" }),
    },
    { texts: { merged_company_id: "The client that is gone; its id stays an alias of the other" } },
  ),
  "company.assigned": event("company", "People joined the roster of a company. Recipients: only those added.", {
    ...company,
    recipients,
  }),
};

/** Events of contacts. */
export const contactEvents = {
  "contact.created": event(
    "contact",
    "A contact was added.",
    { contact_id: uuid(), title: Type.String() },
    { texts: { contact_id: "The contact", title: "Name of the contact" } },
  ),
  "contact.merged": event(
    "contact",
    "A contact was merged into another, which now has everything that referred to it. The merged one is gone.",
    { contact_id: uuid(), title: Type.String(), merged_contact_id: uuid(), merged_title: Type.String() },
    {
      texts: {
        contact_id: "The contact that was kept",
        title: "Its name",
        merged_contact_id: "The contact that is gone; its id stays an alias of the other",
        merged_title: "Name of the merged contact",
      },
    },
  ),
};

declare module "../../core/declare/hooks.ts" {
  interface HookPayloads {
    /** A company was created in a status, or moved into it. */
    "company.status_entered": { company_id: string; status: Static<typeof status> };
    /** A company, already locked, is about to be deleted. */
    "company.deleting": { company_id: string };
  }
}

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof companyEvents>, PayloadsOf<typeof contactEvents> {}
}
