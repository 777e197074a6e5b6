update agent set hello_number = 7;
