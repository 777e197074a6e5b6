update step set state = 'waiting', reason = 'approval', why = 'Is it announced?' where run = '01900000-0000-7000-8000-0000000000a1' and seq = 0;
