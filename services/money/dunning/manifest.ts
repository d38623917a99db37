import { defineModule } from "../../../core/declare/module.ts";
import { dunningMails } from "./mails.ts";

/** Notices of late invoices, and what the law lets the organisation claim on them. */
export const dunning = defineModule({
  key: "dunning",
  kind: "core",
  licence: "invoicing",
  permissions: {
    "dunning.claim.read": {
      position: 10,
      names: ["Vorderingen en aanmaningen lezen", "Read claims and notices"],
      grants: ["admin"],
    },
    "dunning.claim.write": { position: 20, names: ["Aanmanen pauzeren", "Pause dunning"], grants: ["admin"] },
    "dunning.claim.send": { position: 30, names: ["Aanmaningen versturen", "Send notices"], grants: ["admin"] },
    "dunning.settings.manage": {
      position: 40,
      names: ["Instellingen van aanmanen wijzigen", "Change settings of dunning"],
      grants: ["admin"],
    },
  },
  permissionGroups: { dunning: ["Aanmanen", "Dunning"] },
  errors: { 409: ["conflict errors.dunning.no_level"] },
  errorTexts: {
    "conflict errors.dunning.no_level": [
      "The invoice has reached the last level of dunning, or none is set.",
      "Add a level in the settings of dunning.",
    ],
  },
  fieldTexts: {
    "errors.dunning.levels_order": [
      "A level comes on the same day as the one before it, or earlier.",
      "Give each level more days than the one before it.",
    ],
    "errors.dunning.unknown_placeholder": [
      "A text of a level names a placeholder that notices do not have.",
      "Use the placeholders that the description of the field lists.",
    ],
  },
  mails: dunningMails,
  demo: { position: 44, load: async () => (await import("./demo-dunning.ts")).fillDunning },
  records: {
    dunning_pause: {
      copied: { list: "dunning.pauses.list", table: "dunning_pauses", permission: "dunning.claim.read" },
    },
  },
  tables: ["dunning_notices", "dunning_pauses", "dunning_settings"],
  tags: { dunning: "Notices of late invoices, with statutory interest and costs." },
  parameters: { ":pause_id": "The pause of dunning" },
});
