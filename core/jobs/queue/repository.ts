import type { JobRepository } from "agenda";

/** Every method of Agenda's repository, passed on unchanged. */
export const passingOn = (own: JobRepository): JobRepository => ({
  connect: () => own.connect(),
  queryJobs: (options) => own.queryJobs(options),
  getJobsOverview: () => own.getJobsOverview(),
  getDistinctJobNames: () => own.getDistinctJobNames(),
  getJobById: (id) => own.getJobById(id),
  getQueueSize: () => own.getQueueSize(),
  removeJobs: (options) => own.removeJobs(options),
  saveJob: (job, options) => own.saveJob(job, options),
  saveJobState: (job, options) => own.saveJobState(job, options),
  lockJob: (job, options) => own.lockJob(job, options),
  unlockJob: (job) => own.unlockJob(job),
  unlockJobs: (ids) => own.unlockJobs(ids),
  getNextJobToRun: (name, scan, deadline, now, options) => own.getNextJobToRun(name, scan, deadline, now, options),
  disableJobs: (options) => own.disableJobs(options),
  enableJobs: (options) => own.enableJobs(options),
  purgeAllJobs: () => own.purgeAllJobs(),
});

/** A repository as an Agenda backend; the engine opens and closes the connection. */
export const backendOf = (repository: JobRepository) => ({
  name: "kantoor",
  repository,
  connect: async () => {},
  disconnect: async () => {},
  ownsConnection: false,
});
