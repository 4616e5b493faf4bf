-- The id of an item that was refused or deleted goes to the dataset that next gets an item with it.
grant update (dataset_id) on evals.case_ids to touchstone_evals_app;
