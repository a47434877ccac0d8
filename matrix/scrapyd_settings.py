"""The settings of the project that is deployed; those of a job come with the job."""

SPIDER_MODULES = ["matrix.projects.scrapyd_project"]
