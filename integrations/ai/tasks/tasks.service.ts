import { internal } from "../../../core/declare/makers/internal.ts";
import { prepared } from "../../../core/request/context.ts";
import { service } from "../../../mixins/resource.ts";
import { GATE_ERRORS, passGate, setAside } from "../gate/gate.ts";
import { submission } from "../gate/submission.ts";
import { LONGEST_ACTION } from "../providers/outside.ts";
import { SUBMIT, SuggestionRequest, suggestionIn, suggestionQuestion, TaskSuggestion } from "./suggestion.ts";

export default service("ai.tasks", {
  actions: {
    suggest: internal({
      summary: "Suggest additions to a task from a message",
      description: "Sees only what is sent to it and changes nothing. Runs in the background and never exceeds the budget.",
      open: "the job that fills tasks in runs as the system",
      needs: "everything",
      body: SuggestionRequest,
      returns: TaskSuggestion,
      timeout: LONGEST_ACTION,
      errors: [...GATE_ERRORS, "ai_provider_error", "ai_answer_truncated"],
      acts: "outside",
      async prepare(ctx) {
        const gate = await passGate("task_assist", {});
        const question = suggestionQuestion(ctx.params.body, ctx.meta.organisation.locale);
        const call = await setAside(gate, question);
        return call.run(async (ask) => suggestionIn(await submission(ask, question, SUBMIT.name, await ask(question))));
      },
      handler: async () => prepared(),
    }),
  },
});
