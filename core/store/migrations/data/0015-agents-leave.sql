update agent set left_at = now() where uid = '01900000-0000-7000-8000-0000000000a3';
