import { defineModule } from "../../../core/declare/module.ts";
import { projectEvents } from "../events.ts";
import { AssignProjectConfig, SetProjectStatusConfig } from "./project-automation-configs.ts";

export const projects = defineModule({
  key: "projects",
  kind: "module",
  licence: "projects",
  permissions: {
    "projects.project.read": { position: 10, grants: ["admin", "member", "client"] },
    "projects.project.write": { position: 20, grants: ["admin"] },
    "projects.project.delete": { position: 30, grants: ["admin"] },
  },
  errors: {
    409: ["conflict errors.projects_budget_hours_locked"],
    422: ["validation errors.projects_company_required"],
  },
  errorTexts: {
    "conflict errors.projects_budget_hours_locked": [
      "The request changes `budget_hours` of a project whose budget its agreements set.",
      "Change the hours of the agreements, or leave `budget_hours` out.",
    ],
    "validation errors.projects_company_required": [
      "The request sets `company_id` to null, but every project has a client.",
      "Leave `company_id` out, or send another client.",
    ],
  },
  events: projectEvents,
  automation: {
    entities: { project: async () => (await import("./project-facts.ts")).projectFacts },
    triggers: { "project.status_changed": { position: 60, payload: ["project_id", "title", "from", "to"] } },
    actions: {
      "project.set_status": {
        position: 70,
        config: SetProjectStatusConfig,
        call: "projects.automation.setStatus",
        permission: "projects.project.write",
      },
      "project.assign": {
        position: 80,
        config: AssignProjectConfig,
        call: "projects.automation.assign",
        permission: "projects.project.write",
        handsTo: "user_id",
      },
    },
  },
  hooks: {
    "membership.handing_over": async () => (await import("./hand-over.ts")).handOverProjects,
    "subscription.projects_linked": async () => (await import("./linked-billing.ts")).billedByAgreement,
  },
  records: {
    project: {
      copied: { list: "projects.list", table: "projects" },
      seen: ["projects.get", "project_id"],
      readers: { permission: "projects.project.read" },
      client: { table: "projects", of: "t.company_id" },
      trail: true,
      changes: {},
      loses: [{ field: "company_id", to: "companies", table: "projects" }],
      custom: true,
      files: "open",
      sheet: async () => (await import("../project-sheets/project.impex.ts")).project,
      bulk: {
        update: "projects.project.write",
        delete: "projects.project.delete",
        load: async () => (await import("./project.bulk.ts")).projectsInBulk,
      },
    },
  },
  demo: { position: 30, load: async () => (await import("../demo/demo-work.ts")).fillWork },
  tables: ["project_assignees", "project_budget_warnings", "projects"],
  shows: { projects: ["id", "name", "company_id", "status", "billable_default"] },
  tags: { projects: "Projects and their budgets." },
  parameters: { ":project_id": "The project" },
});
