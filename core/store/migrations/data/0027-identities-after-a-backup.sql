-- As a restore leaves it, so that another one changes no row of an agent.
update installation set backed_up_at = now() - interval '1 day', restored_at = now();
update agent set restored_generation = identity_generation;
