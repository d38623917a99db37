import { defineModule } from "../../core/declare/module.ts";
import { leaveEvents } from "./events.ts";
import { leaveFieldTexts } from "./key-texts.ts";

/** The fields of leave events that rules see. */
const LEAVE = ["leave_request_id", "user_id", "leave_type_id", "start_date", "end_date", "start_time", "end_time", "hours"];

const leave = defineModule({
  key: "leave",
  kind: "module",
  licence: "leave",
  permissions: {
    "leave.request.read": { position: 10, grants: { admin: "any", member: "own" } },
    "leave.request.write": { position: 20, grants: { admin: "any", member: "own" } },
    "leave.request.approve": { position: 30, grants: ["admin"] },
    "leave.type.write": { position: 40, grants: ["admin"] },
    "leave.profile.manage": { position: 50, grants: ["admin"] },
    "leave.holiday.write": { position: 55, grants: ["admin"] },
    "leave.entitlement.read": { position: 60, grants: { admin: "any", member: "own" } },
    "leave.entitlement.write": { position: 70, grants: ["admin"] },
    "leave.rate.read": { position: 80, grants: { admin: "any", member: "own" } },
    "leave.rate.write": { position: 90, grants: ["admin"] },
    "leave.availability.read": { position: 100, grants: { admin: "any", member: "own" } },
    "leave.availability.write": { position: 110, grants: { admin: "any", member: "own" } },
  },
  errors: {
    403: [
      "forbidden errors.leave_recurring_needs_manager",
      "past_locked errors.leave_past_locked",
      "self_approval errors.leave_self_approval",
    ],
    409: [
      "conflict errors.leave_contract_overlap",
      "conflict errors.leave_decided",
      "conflict errors.leave_holiday_exists",
      "conflict errors.leave_overlap",
      "conflict errors.leave_type_in_use",
    ],
    422: ["no_working_hours errors.leave_no_working_hours"],
  },
  errorTexts: {
    "conflict errors.leave_overlap": [
      "Another request of the person shares a day with this one.",
      "Choose other days, or cancel the other request.",
    ],
    "conflict errors.leave_decided": ["The request is decided already.", "Read it again; an approver can cancel it."],
    "past_locked errors.leave_past_locked": [
      "The leave began before today, and the caller cannot backdate.",
      "Ask an approver to record it.",
    ],
    "self_approval errors.leave_self_approval": [
      "Approvers cannot decide on their own leave in this organisation.",
      "Ask another approver.",
    ],
    "no_working_hours errors.leave_no_working_hours": [
      "The days have no working hours in the person's schedule.",
      "Choose days on which the person works.",
    ],
    "forbidden errors.leave_recurring_needs_manager": [
      "The pattern is for another person, or its type of leave requires approval, and the caller lacks `leave.profile.manage`.",
      "Ask a manager of leave profiles to plan it, or choose a type that requires no approval.",
    ],
    "conflict errors.leave_contract_overlap": [
      "The employment period shares a day with another period of the person; `details` names that period.",
      "End the other period first, or send other dates.",
    ],
    "conflict errors.leave_holiday_exists": ["Another holiday has this date.", "Change that holiday, or send another date."],
    "conflict errors.leave_type_in_use": [
      "A leave request of any status has this type, so it cannot be deleted.",
      "Set `active` of the type to false instead.",
    ],
  },
  fieldTexts: leaveFieldTexts,
  events: leaveEvents,
  automation: {
    entities: { leave_request: async () => (await import("./requests/leave-facts.ts")).leaveFacts },
    triggers: { "leave.requested": { position: 180, payload: LEAVE }, "leave.approved": { position: 190, payload: LEAVE } },
  },
  hookPoints: ["leave.withdrawn"],
  records: {
    leave_request: {
      copied: { list: "leave.requests.list", table: "leave_requests", needs: "leave.request.read:any" },
      seen: ["leave.requests.get", "request_id"],
      readers: { permission: "leave.request.read", own: "row" },
      client: null,
      sheet: async () => (await import("./imports/leave-request.impex.ts")).leaveRequest,
    },
    availability: {},
    leave_type: { copied: { list: "leave.types.list", table: "leave_types", permission: "leave.request.read" } },
  },
  demo: { position: 10, load: async () => (await import("./demo/demo-people.ts")).fillPeople },
  tables: [
    "leave_availability",
    "leave_calendar_tokens",
    "leave_contracted",
    "leave_contracts",
    "leave_entitlements",
    "leave_holidays",
    "leave_profiles",
    "leave_recurring_days",
    "leave_requests",
    "leave_settings",
    "leave_types",
    "leave_types_seeded",
  ],
  // The figures that hours are priced by.
  shows: { leave_profiles: ["user_id", "hourly_rate"], leave_settings: ["default_hourly_rate"] },
  tags: { leave: "Leave requests, entitlements, schedules and public holidays." },
  operationNames: { "/leave/calendar.ics": "leave.calendar" },
  parameters: {
    ":entry_id": "The exception to a working week",
    ":contract_id": "The employment contract",
    ":holiday_id": "The public holiday",
    ":user_id": "The account of the person",
    ":recurring_id": "The pattern of recurring leave",
    ":request_id": "The leave request",
    ":type_id": "The leave type",
    token: "The secret in the link of the calendar",
    team: "Whether to add the approved leave of colleagues, by name and time alone",
    leave_type_id: "The leave type",
    withdraw_days: "Whether to cancel its placed days from today on first",
  },
});

const hr = defineModule({
  key: "hr",
  kind: "module",
  licence: "hr",
  permissions: {
    "hr.dossier.read": { position: 10, grants: { admin: "any", member: "own" } },
    "hr.document.manage": { position: 20, grants: ["admin"] },
  },
  records: {
    hr_dossier: {
      seen: ["hr.dossier", "user_id"],
      readers: { permission: "hr.dossier.read", own: "person" },
      client: null,
      trail: true,
      files: "managed",
    },
  },
  tables: ["hr_documents"],
  tags: { hr: "Dossiers of employees." },
  parameters: {
    ":document_id": "The document of a dossier",
    user_id: "The person whose dossier it is",
    category: "Category of the document, as the dossier lists them",
    title: "Title of the document; empty for the name of the file",
    note: "Note on the document; empty if none",
  },
});

export default [leave, hr];
