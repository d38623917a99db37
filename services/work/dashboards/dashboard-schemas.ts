import { answer, date, nullable, Type, uuid } from "../../../core/schema/schema.ts";
import { priority } from "../tasks/task-schemas.ts";

export const DashboardTaskItem = answer(
  "DashboardTaskItem",
  {
    id: uuid(),
    title: Type.String(),
    priority: priority(),
    due_date: nullable(date()),
    company_id: nullable(uuid()),
    company_name: nullable(Type.String()),
  },
  {
    title: "Title of the task",
    priority: "Priority of the task",
    due_date: "Day the task is due; null if none",
    company_id: "Client of the task, else of its project; null if none",
  },
);

export const DashboardTaskGroup = answer(
  "DashboardTaskGroup",
  {
    entity_type: Type.String(),
    entity_id: nullable(uuid()),
    label: nullable(Type.String()),
    company_id: nullable(uuid()),
    company_name: nullable(Type.String()),
    count: Type.Integer(),
    overdue: Type.Integer(),
  },
  {
    entity_type: "Record that the tasks share: a `project`, a `company` or `none`",
    entity_id: "That project or client; null for `none`",
    label: "Name of that project or client; null for `none`",
    company_id: "Client of the project; null in other groups",
    company_name: "Name of the project's client; null in other groups",
    count: "Number of open tasks",
    overdue: "Number of open tasks past their due date",
  },
);
