import { answer, date, nullable, Type, uuid } from "../../../core/declare/schema.ts";
import { priority } from "../tasks/task-schemas.ts";

export const DashboardTaskItem = answer("DashboardTaskItem", {
  id: uuid(),
  title: Type.String(),
  priority: priority(),
  due_date: nullable(date()),
  company_id: nullable(uuid()),
  company_name: nullable(Type.String()),
});

export const DashboardTaskGroup = answer("DashboardTaskGroup", {
  entity_type: Type.String(),
  entity_id: nullable(uuid()),
  label: nullable(Type.String()),
  company_id: nullable(uuid()),
  company_name: nullable(Type.String()),
  count: Type.Integer(),
  overdue: Type.Integer(),
});
