import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const automationFieldTexts = {
  "errors.automation_unknown_trigger": [
    "`trigger_event` names no trigger of the catalogue.",
    "Use an event of `GET /automation/catalog`; `details` has the nearest names.",
  ],
  "errors.automation_unknown_action": [
    "`action_type` names no action of the catalogue, or its module is switched off.",
    "Use an action of `GET /automation/catalog`; `details` has the nearest names.",
  ],
  "errors.automation_unknown_config_key": [
    "The `config` of an action has a key that the action does not take.",
    "Remove the key, or use the nearest name in `details`.",
  ],
  "errors.automation_invalid_conditions": [
    "The conditions do not have the form of the catalogue, or compare a field that the trigger does not offer.",
    "Compare fields of the trigger with the operators that `GET /automation/catalog` lists.",
  ],
  "errors.automation_action_config_invalid": [
    "The `config` of an action lacks a value or has one of the wrong kind; in a run, the record that it names is gone.",
    "Send the values that the catalogue describes for the action, and repair the rule if a record that it names was removed.",
  ],
  "errors.automation_webhook_invalid_url": [
    "The address of a webhook action is not an https address without credentials.",
    "Use an address that begins with https and has no user name in it.",
  ],
} satisfies ErrorTexts;

/** Keys that stored results carry. */
export const automationResultTexts = {
  "errors.automation_depth_exceeded": [
    "The rule was triggered by a rule that a rule triggered, three levels deep, so the run was skipped.",
    "Join the rules, or add a condition that ends the chain.",
  ],
  "errors.automation_rule_rate": [
    "The rule ran 20 times on the same record within an hour, so the run was skipped.",
    "Look for two rules that trigger each other; the rule runs again in the next hour.",
  ],
  "errors.automation_rule_deleted": [
    "The rule was deleted before the run ended.",
    "Nothing; the actions that were done stay listed in the run.",
  ],
  "errors.automation_no_recipient": [
    "A notification had no recipient: the member has left, or the record has no assignee.",
    "Name a recipient in the action, or assign the record.",
  ],
  "errors.automation_outcome_unknown": [
    "The call may have arrived: a node stopped before the answer. Only runs of earlier versions have it.",
    "Look at the receiver; later versions send the call again under the same `webhook-id`.",
  ],
  "errors.automation_webhook_not_confirmed": [
    "The receiver answered with a status outside of 200 to 299.",
    "Look at the receiver; the run keeps the status and the beginning of its answer.",
  ],
  "errors.automation_webhook_port": [
    "The address has a port that the service does not call.",
    "Use an address on the usual port, or ask the operator to allow this one.",
  ],
  "errors.automation_webhook_private_target": [
    "The address leads into the service's own network.",
    "Use a public address, or ask the operator to allow the range with `SERVICE_OUTBOUND_ALLOWED_RANGES`.",
  ],
  "errors.automation_webhook_timeout": [
    "The receiver did not answer in time.",
    "Let the receiver answer first and work afterwards.",
  ],
  "errors.automation_webhook_unreachable": [
    "No connection to the receiver was possible.",
    "Check that the receiver runs and that its certificate is valid.",
  ],
  "errors.automation_webhook_unreadable": [
    "The answer of the receiver was too large or not valid HTTP.",
    "Let the receiver answer with a short body or none.",
  ],
  "errors.automation_webhook_unresolved": [
    "The host name of the address has no address in DNS.",
    "Check the name, and the DNS records of the host.",
  ],
} satisfies ErrorTexts;
